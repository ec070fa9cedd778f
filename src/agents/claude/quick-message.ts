/**
 * A message from its own records as Claude Code writes most of them, without looking at what nobody asks for who shows a few
 * words of it. A test holds it to be what `message.ts` makes of the same records.
 */
import type { SessionMessage } from "../../core/session.ts";
import { asObject, asTime, type Json } from "../../lib/fields.ts";

/** How a prompt begins that may be something else: what the program put in, an interruption, a notification. */
const SPECIAL = /^(?:\s|<|\[|Caveat:)/;

/** Undefined: something is out of the ordinary. */
export function quickMessage(records: readonly Json[]): SessionMessage | undefined {
  const first = records[0]!;
  const message = first["type"] === "user" ? quickUser(first) : quickReply(records);
  if (message === undefined) return undefined;
  const time = asTime(first["timestamp"]);
  if (time !== undefined) message.timestamp = new Date(time);
  return message;
}

function quickUser(record: Json): SessionMessage | undefined {
  const { isCompactSummary, isMeta, attachment } = record;
  if (isCompactSummary !== undefined || isMeta !== undefined || attachment !== undefined) return undefined;
  const content = asObject(record["message"])?.["content"];
  if (typeof content === "string") {
    return content === "" || SPECIAL.test(content) ? undefined : { role: "user", content };
  }
  const block = Array.isArray(content) && content.length === 1 ? asObject(content[0]) : undefined;
  if (block?.["type"] !== "tool_result" || typeof block["tool_use_id"] !== "string") return undefined;
  const output = block["content"];
  if (typeof output !== "string" || block["tool_use_id"] === "") return undefined;
  return { role: "tool", content: output, toolResult: { toolCallId: block["tool_use_id"], toolName: "", output } };
}

/** Of texts and thoughts; a call takes more. */
function quickReply(records: readonly Json[]): SessionMessage | undefined {
  let content: string | undefined;
  let thinking: string | undefined;
  for (const record of records) {
    if (record["type"] !== "assistant" || record["isApiErrorMessage"] !== undefined) return undefined;
    const message = asObject(record["message"]);
    const blocks = message?.["content"];
    if (message?.["model"] === "<synthetic>" || !Array.isArray(blocks)) return undefined;
    for (const item of blocks) {
      const block = asObject(item);
      const text = block?.["text"];
      const thought = block?.["thinking"];
      if (block?.["type"] === "text" && typeof text === "string")
        content = content === undefined ? text : `${content}\n\n${text}`;
      else if (block?.["type"] === "thinking" && typeof thought === "string")
        thinking = thinking === undefined ? thought : `${thinking}\n\n${thought}`;
      else return undefined;
    }
  }
  const message: SessionMessage = { role: "assistant", content: content ?? "" };
  if (thinking !== undefined) message.thinking = thinking;
  return message;
}
