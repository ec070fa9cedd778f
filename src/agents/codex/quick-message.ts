/**
 * A message from its own lines as Codex writes them nowadays, without going through all that a thread can be: whoever shows a
 * few messages of many threads has little else to do. A test holds it to be what `Transcript` makes of the same lines.
 */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asObject, asTime, type Json } from "../../lib/fields.ts";
import { latin1Text, utf8Text } from "../../lib/text-of-bytes.ts";
import { HEAD } from "./envelope.ts";
import { promptOfEvent, promptOfParts, textOfContent } from "./prompt-text.ts";
import { isSilent } from "./record-types.ts";
import { typeName } from "./rollout-record.ts";
import { toolCallOf } from "./tool-call.ts";
import { outputText } from "./tool-output.ts";
import { PARTS, thinkingOf } from "./transcript.ts";

/** Longer than any head: two ids of 36 characters and five short words. */
const HEAD_BYTES = 400;
const LINE_FEED = 10;

/** With these a reply is over, whatever else they say. */
const ENDS = new Set([
  "token_usage_record",
  "event_msg/task_complete",
  "event_msg/turn_complete",
  "event_msg/task_started",
  "event_msg/turn_started",
]);

/** The message that begins at `start`, the next one being at `end`. Undefined: something is out of the ordinary. */
export function quickMessage(
  file: Buffer,
  start: number,
  end: number,
  isFromItems: boolean,
): SessionMessage | undefined {
  const head = headAt(file, start);
  if (head === undefined) return undefined;
  switch (head.type) {
    case "event_msg/user_message": {
      const payload = isFromItems ? undefined : payloadAt(file, start, head);
      const content = payload && promptOfEvent(payload);
      return content === undefined ? undefined : stamped({ role: "user", content }, head);
    }
    case "event_msg/item_completed/UserMessage": {
      // One of another thread would be no message, and nobody would ask for it.
      const item = asObject(payloadAt(file, start, head)?.["item"]);
      return item && stamped({ role: "user", content: promptOfParts(item["content"]) }, head);
    }
    case "response_item/function_call_output":
    case "response_item/custom_tool_call_output": {
      const payload = payloadAt(file, start, head);
      if (payload === undefined) return undefined;
      const text = outputText(payload);
      const toolResult = { toolCallId: "", toolName: "", output: text };
      return stamped({ role: "tool", content: text, toolResult }, head);
    }
    default:
      return replyAt(file, start, end, isFromItems, head);
  }
}

function replyAt(
  file: Buffer,
  start: number,
  end: number,
  isFromItems: boolean,
  first: Head,
): SessionMessage | undefined {
  const texts: string[] = [];
  const thinking: string[] = [];
  const calls: SessionToolCall[] = [];
  for (let at = start; at < end; at = endOfLine(file, at) + 1) {
    const head = at === start ? first : headAt(file, at);
    if (head === undefined) return undefined;
    const { type } = head;
    if (ENDS.has(type)) {
      if (payloadAt(file, at, head) === undefined) return undefined;
      break;
    }
    const isMessage = type === "response_item/message";
    if (!isMessage && !PARTS.has(type)) {
      if (!isSilent(type)) return undefined;
      continue;
    }
    const payload = payloadAt(file, at, head);
    if (payload === undefined) return undefined;
    if (type === "response_item/reasoning") thinking.push(...thinkingOf(payload));
    else if (!isMessage) calls.push(toolCallOf(type, payload, 0));
    else if (payload["role"] === "assistant") texts.push(textOfContent(payload["content"]));
    // A prompt, where items are prompts; else what the program says in the user's name.
    else if (isFromItems || at === start) return undefined;
  }
  const thought = thinking.join("\n\n");
  // Such a one may be no message at all.
  if (texts.length + calls.length === 0 && thought === "") return undefined;
  const content = texts.filter((text) => text !== "").join("\n\n");
  const message = stamped({ role: "assistant", content }, first);
  if (thought !== "") message.thinking = thought;
  if (calls.length > 0) message.toolCalls = calls;
  return message;
}

function stamped(message: SessionMessage, { timestamp }: Head): SessionMessage {
  const time = asTime(timestamp);
  if (time !== undefined) message.timestamp = new Date(time);
  return message;
}

interface Head {
  timestamp: string;
  type: string;
  outer: string;
  inner: string | undefined;
}

function headAt(file: Buffer, start: number): Head | undefined {
  const found = HEAD.exec(latin1Text(file, start, Math.min(start + HEAD_BYTES, file.length)));
  if (found === null) return undefined;
  // By their places: to take an array apart takes longer than the rest of it.
  const outer = found[2]!;
  const inner = found[3];
  const item = found[4];
  const isNested = outer === "response_item" || outer === "event_msg";
  if (isNested ? inner === undefined || (inner === "item_completed" && item === undefined) : outer === "session_meta")
    return undefined;
  return { timestamp: found[1]!, type: typeName(outer, isNested ? inner : undefined, item), outer, inner };
}

/** Undefined for a line that is damaged, or does not go on as it began. */
function payloadAt(file: Buffer, start: number, { timestamp, outer, inner }: Head): Json | undefined {
  let record: Json | undefined;
  try {
    record = asObject(JSON.parse(utf8Text(file, start, endOfLine(file, start))));
  } catch {
    // Who reads all of it makes the best of it.
    return undefined;
  }
  if (record === undefined || record["timestamp"] !== timestamp || record["type"] !== outer) return undefined;
  // The answer to a request for a summary is no reply.
  if (record["metadata"] !== undefined) return undefined;
  const payload = asObject(record["payload"]);
  return payload?.["type"] === inner ? payload : undefined;
}

function endOfLine(file: Buffer, start: number): number {
  const end = file.indexOf(LINE_FEED, start);
  return end === -1 ? file.length : end;
}
