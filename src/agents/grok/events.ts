/**
 * Parses `--output-format streaming-json`: updates of the Agent Client Protocol, one per line and without their envelope. The
 * session's id comes only with the end, so the caller chooses it.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asObject, asObjects, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

/** The tool that starts a sub-agent. */
const DELEGATING_TOOL = "spawn_subagent";

const TOOLS: ToolTable = {
  tools: {
    read_file: { is: "file_read", path: "target_file" },
    write: { is: "file_write", path: "file_path", content: "content" },
    search_replace: { is: "file_patch", path: "file_path" },
    run_terminal_command: { is: "shell", command: "command" },
    [DELEGATING_TOOL]: { is: "subagent", names: ["subagent_type", "description"] },
  },
};

export const GUIDANCE = "Run grok and sign in, or set XAI_API_KEY.";

export function grokEvents(context: StreamContext, sessionId: string): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  // Calls of sub-agents that the agent waits for. Their text comes unmarked; their result has it once more.
  const awaited = new Set<string>();
  // Only the end names the model.
  let bills: TokenCounts[] = [];
  const tellBills = (model?: string): void => {
    for (const bill of bills) events.usage(bill, model);
    bills = [];
  };
  const handlers: RecordHandlers = {
    text(record) {
      if (awaited.size > 0) return;
      events.thinkingStop();
      events.textDelta(stringIn(record, "data"));
    },
    thought(record) {
      if (awaited.size > 0) return;
      events.textStop();
      events.thinkingDelta(stringIn(record, "data"));
    },
    tool_call: (record) => toolCall(record, events, awaited),
    tool_call_update: (record) => toolUpdate(record, events, awaited),
    usage(record) {
      // One per request: the next text is another message.
      contentStop(events);
      bills.push(tokensIn(asObject(record["usage"]) ?? {}));
    },
    error(record) {
      const message = stringIn(record, "message");
      const status = Number(/"http_status":\s*(\d{3})/.exec(message)?.[1]) || undefined;
      events.push(failureEvent({ message, status, guidance: GUIDANCE }));
    },
    end(record) {
      const models = Object.keys(asObject(record["modelUsage"]) ?? {});
      tellBills(models.length === 1 ? models[0] : undefined);
      events.turnEnd();
    },
  };
  const lines = jsonLineReader(
    events,
    GUIDANCE,
    byType(handlers, /^(?:available_commands|auto_compact_completed|max_turns_reached|plan)$/),
  );
  return {
    begin() {
      events.session(sessionId);
      events.turnStart();
      return events.take();
    },
    line: lines.line,
    end(exit) {
      tellBills();
      return lines.end(exit);
    },
  };
}

function contentStop(events: EventAssembler): void {
  events.thinkingStop();
  events.textStop();
}

function toolCall(record: Json, events: EventAssembler, awaited: Set<string>): void {
  contentStop(events);
  const id = stringIn(record, "toolCallId");
  const name = asText(record["toolName"]) ?? stringIn(record, "title");
  events.toolReady(id, name, record["rawInput"]);
  if (name === DELEGATING_TOOL && asObject(record["rawInput"])?.["background"] !== true) awaited.add(id);
}

function toolUpdate(record: Json, events: EventAssembler, awaited: Set<string>): void {
  const status = record["status"];
  if (status !== "completed" && status !== "failed") return;
  const id = stringIn(record, "toolCallId");
  const shown = asObjects(record["content"]).flatMap((part) => asText(asObject(part["content"])?.["text"]) ?? []);
  const output = shown.join("\n");
  const exitCode = asNumber(asObject(record["rawOutput"])?.["exit_code"]);
  const hasFailed = status === "failed";
  const error = output === "" ? "It failed." : output;
  events.toolDone(id, {
    ...(hasFailed ? { error } : { output }),
    ...(exitCode === undefined ? {} : { exitCode }),
  });
  awaited.delete(id);
}

/** Of one request, a sub-agent's included; here the input is without the cache. */
function tokensIn(counts: Json): TokenCounts {
  const output = asTokens(counts["output_tokens"]);
  return {
    input: asTokens(counts["input_tokens"]),
    cached: asTokens(counts["cache_read_input_tokens"]),
    cacheWrite: asTokens(counts["cache_creation_input_tokens"]),
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(counts["reasoning_tokens"])),
  };
}
