/**
 * Parses Gemini CLI's `-o stream-json`. Answers come in pieces without an end; a tool call or the result ends them. Thoughts are
 * not sent, but their tokens are in the total.
 */
import { asObject, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    read_file: { is: "file_read", path: "file_path" },
    write_file: { is: "file_write", path: "file_path", content: "content" },
    replace: { is: "file_patch", path: "file_path" },
    run_shell_command: { is: "shell", command: "command" },
    invoke_agent: { is: "subagent", names: ["agent_name"] },
  },
};

export const GUIDANCE = "Run gemini and sign in, or set GEMINI_API_KEY.";

/** Gemini CLI's code for "no way to sign in is configured". */
const EXIT_NO_AUTH = 41;

export function geminiEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  const handlers: RecordHandlers = {
    init(record) {
      events.session(stringIn(record, "session_id"), asText(record["model"]));
      events.turnStart();
    },
    message(record) {
      // The prompt is repeated as a user message.
      if (record["role"] !== "assistant") return;
      if (record["delta"] === true) events.textDelta(stringIn(record, "content"));
      else events.text(stringIn(record, "content"));
    },
    tool_use(record) {
      events.textStop();
      events.toolReady(stringIn(record, "tool_id"), stringIn(record, "tool_name"), record["parameters"]);
    },
    tool_result: (record) => toolResult(record, events),
    error: (record) => events.push({ type: "debug", level: "warning", message: stringIn(record, "message") }),
    result: (record) => result(record, events),
  };
  const lines = jsonLineReader(events, GUIDANCE, byType(handlers));
  return {
    ...lines,
    end(exit) {
      if (exit.exitCode === EXIT_NO_AUTH && !events.hasFailed) {
        events.push({ type: "auth_error", message: "Gemini CLI is not signed in.", guidance: GUIDANCE });
      }
      return lines.end(exit);
    },
  };
}

function toolResult(record: Json, events: EventAssembler): void {
  const output = stringIn(record, "output");
  const error = asText(asObject(record["error"])?.["message"]) ?? (output === "" ? "It failed." : output);
  const hasFailed = record["status"] !== "success";
  events.toolDone(stringIn(record, "tool_id"), hasFailed ? { error } : { output });
}

function result(record: Json, events: EventAssembler): void {
  for (const [model, stats] of Object.entries(asObject(asObject(record["stats"])?.["models"]) ?? {})) {
    usage(asObject(stats) ?? {}, model, events);
  }
  if (record["status"] !== "success") {
    const message = asText(asObject(record["error"])?.["message"]) ?? "The run failed.";
    events.push(failureEvent({ message, status: statusIn(message), guidance: GUIDANCE }));
  }
  events.turnEnd();
}

/** `input_tokens` includes the cache; the rest of the total beyond input and output is thoughts. */
function usage(stats: Json, model: string, events: EventAssembler): void {
  const [input, cached] = [asTokens(stats["input_tokens"]), asTokens(stats["cached"])];
  const output = asTokens(stats["output_tokens"]);
  const thinking = Math.max(0, asTokens(stats["total_tokens"]) - input - output);
  const counts = { input: Math.max(0, input - cached), cached, cacheWrite: 0, cacheWrite1h: 0 };
  events.usage({ ...counts, output: output + thinking, thinking }, model);
}

/** The message quotes the service's answer as JSON. */
function statusIn(message: string): number | undefined {
  const told = /"code":\s*(\d{3})/.exec(message)?.[1];
  return told === undefined ? undefined : Number(told);
}
