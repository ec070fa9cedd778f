/**
 * Parses the event stream of Pi and omp (`--mode json`). Their "turn" is one model call, our step. A refused request is an answer
 * with an error; it counts only if no other answer follows.
 */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "./event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "./json-lines.ts";
import { failureEvent } from "./run-failure.ts";
import type { ToolTable } from "./tool-facts.ts";
import { modelOf, usageIn } from "./tree-format.ts";
import { reportedDollars } from "./tree-messages.ts";

const TOOLS: ToolTable = {
  tools: {
    read: { is: "file_read", path: "path" },
    write: { is: "file_write", path: "path", content: "content" },
    edit: { is: "file_patch", path: "path" },
    bash: { is: "shell", command: "command" },
  },
};

/** Notes of the interface and of extensions, which are not part of the conversation. */
const SILENT =
  /^(?:ready|response|prompt_result|session_settled|extension_.*|advisor_.*|available_commands_update|model_changed|thinking_level_changed|session_info_changed|todo_.*|queue_update|compaction_start|auto_compaction_start|auto_retry_end|notice|entry_appended)$/;

export function treeEvents(context: StreamContext, guidance: string): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  const pieces = byType(pieceHandlers(events));
  let refusal: string | undefined;
  let hasStreamed = false;
  /** The agent is done, so the last refusal is final. */
  const settle = (): void => {
    if (refusal !== undefined) {
      const told = /^(\d{3})\b/.exec(refusal)?.[1];
      const status = told === undefined ? undefined : Number(told);
      events.push(failureEvent({ message: refusal, status, guidance }));
    }
    refusal = undefined;
    events.turnEnd();
  };
  const compacted = (record: Json): void =>
    events.push({ type: "context_compacted", summary: stringIn(asObject(record["result"]) ?? {}, "summary") });
  const handlers: RecordHandlers = {
    session: (record) => events.session(stringIn(record, "id")),
    agent_start: () => events.turnStart(),
    turn_start: () => events.stepStart(),
    turn_end: () => events.stepEnd(),
    message_start: () => void (hasStreamed = false),
    message_update(record) {
      hasStreamed = true;
      pieces(asObject(record["assistantMessageEvent"]) ?? {});
    },
    message_end(record) {
      const message = asObject(record["message"]) ?? {};
      if (message["role"] !== "assistant") return;
      if (!hasStreamed) wholeMessage(message, events);
      refusal =
        message["stopReason"] === "error"
          ? (asText(message["errorMessage"]) ?? "The model gave no answer.")
          : undefined;
      used(message, events);
    },
    tool_execution_start: (record) =>
      events.toolReady(stringIn(record, "toolCallId"), stringIn(record, "toolName"), record["args"]),
    tool_execution_update: () => undefined,
    tool_execution_end: (record) => toolEnded(record, events),
    compaction_end: compacted,
    auto_compaction_end: compacted,
    auto_retry_start: (record) =>
      events.push({ type: "rate_limited", ...optional("retryAfterMs", asNumber(record["delayMs"])) }),
    agent_end: (record) => (record["isTerminal"] === true ? settle() : undefined),
    agent_settled: settle,
  };
  const lines = jsonLineReader(events, guidance, byType(handlers, SILENT));
  return {
    ...lines,
    end(exit) {
      settle();
      return lines.end(exit);
    },
  };
}

/** The pieces of an answer. */
function pieceHandlers(events: EventAssembler): RecordHandlers {
  const calls = new Map<unknown, string>();
  const text = (piece: Json): void => events.textDelta(stringIn(piece, "delta"));
  const thinking = (piece: Json): void => events.thinkingDelta(stringIn(piece, "delta"));
  return {
    text_start: text,
    text_delta: text,
    text_end: (piece) => events.textStop(asString(piece["content"])),
    thinking_start: thinking,
    thinking_delta: thinking,
    thinking_end: (piece) => events.thinkingStop(asString(piece["content"])),
    toolcall_start(piece) {
      // omp reports neither at the start; its calls begin when they are complete.
      const [id, name] = [asText(piece["id"]), asText(piece["toolName"])];
      if (id === undefined || name === undefined) return;
      calls.set(piece["contentIndex"], id);
      events.toolStart(id, name);
    },
    toolcall_delta: (piece) => events.toolInput(calls.get(piece["contentIndex"]) ?? "", stringIn(piece, "delta")),
    toolcall_end(piece) {
      const call = asObject(piece["toolCall"]) ?? {};
      events.toolStart(stringIn(call, "id"), stringIn(call, "name"));
      calls.delete(piece["contentIndex"]);
    },
  };
}

function wholeMessage(message: Json, events: EventAssembler): void {
  for (const block of asObjects(message["content"])) {
    if (block["type"] === "text") events.text(stringIn(block, "text"));
    else if (block["type"] === "thinking") events.thinking(stringIn(block, "thinking"));
  }
}

function used(message: Json, events: EventAssembler): void {
  const usage = usageIn(message);
  if (usage === undefined) return;
  const { tokens } = usage;
  if (tokens.input + tokens.cached + tokens.cacheWrite + tokens.output === 0) return;
  events.usage(tokens, modelOf(message));
  const usd = reportedDollars(usage);
  if (usd !== undefined) events.push({ type: "cost", cost: reportedCost(usd, tokens) });
}

function toolEnded(record: Json, events: EventAssembler): void {
  const result = asObject(record["result"]) ?? {};
  const text = asObjects(result["content"])
    .map((block) => stringIn(block, "text"))
    .join("");
  const exitCode = asNumber(asObject(result["structuredContent"])?.["exit_code"]);
  const told = /Command exited with code (\d+)/.exec(text)?.[1];
  const outcome = {
    ...(record["isError"] === true ? { error: text } : { output: text }),
    ...optional("durationMs", asNumber(record["durationMs"])),
    ...optional("exitCode", exitCode ?? (told === undefined ? undefined : Number(told))),
    ...optional("diff", asText(asObject(result["details"])?.["diff"])),
  };
  events.toolDone(stringIn(record, "toolCallId"), outcome, asString(record["toolName"]));
}
