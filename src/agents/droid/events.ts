/** Parses `droid exec -o stream-json`: whole messages, thoughts twice, and the tokens of the run with its end. */
import { asObject, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    Read: { is: "file_read", path: "file_path" },
    Create: { is: "file_create", path: "file_path", content: "content" },
    Edit: { is: "file_patch", path: "file_path" },
    Execute: { is: "shell", command: "command" },
    Task: { is: "subagent", names: ["subagent_type"] },
  },
};

export const GUIDANCE = "Run droid and sign in, or set FACTORY_API_KEY.";

/** Without Factory's service, `droid exec -s` ends with 1 and prints nothing. */
const WHY_NOT_RESUMED =
  "Droid did not resume the session and said no reason. Without a terminal it asks Factory's service for the session. " +
  "Fork the session instead (--fork), or resume it in a terminal: both use its local files.";

export function droidEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  let thought: string | undefined;
  let model: string | undefined;
  let hasBegun = false;
  const handlers: RecordHandlers = {
    system(record) {
      if (record["subtype"] !== "init") return false;
      hasBegun = true;
      model = asText(record["model"]);
      events.session(stringIn(record, "session_id"), model);
      events.turnStart();
    },
    message(record) {
      // The prompt is repeated as a user message.
      if (record["role"] === "assistant") events.text(stringIn(record, "text"));
    },
    reasoning(record) {
      if (thought !== stringIn(record, "id")) events.thinking(stringIn(record, "text"));
      thought = stringIn(record, "id");
    },
    tool_call: (record) => events.toolReady(stringIn(record, "id"), stringIn(record, "toolName"), record["parameters"]),
    tool_result: (record) => toolResult(record, events),
    error(record) {
      // "Exec failed" follows the reason.
      if (events.hasFailed) return;
      const message = stringIn(record, "message");
      const status = Number(/^(\d{3})\b/.exec(message)?.[1]) || undefined;
      events.push(failureEvent({ message, status, guidance: GUIDANCE }));
    },
    completion(record) {
      usage(asObject(record["usage"]) ?? {}, events, model);
      events.turnEnd();
    },
  };
  const lines = jsonLineReader(events, GUIDANCE, byType(handlers));
  return {
    line: lines.line,
    end(exit) {
      const isSilent = !hasBegun && !events.hasFailed && exit.stderr.trim() === "";
      if (context.session.kind === "resume" && exit.exitCode === 1 && isSilent) {
        events.push({ type: "error", code: "AGENT_CRASH", message: WHY_NOT_RESUMED, recoverable: false });
      }
      return lines.end(exit);
    },
  };
}

function toolResult(record: Json, events: EventAssembler): void {
  const failure = asObject(record["error"]);
  const error = failure === undefined ? undefined : (asText(failure["message"]) ?? "It failed.");
  const exitCode = Number(/\(exit code: (\d+)\)/.exec(error ?? "")?.[1] ?? Number.NaN);
  events.toolDone(stringIn(record, "id"), {
    ...(error === undefined ? { output: record["value"] } : { error }),
    ...(Number.isNaN(exitCode) ? {} : { exitCode }),
  });
}

/** Of the whole run, sub-agents included. */
function usage(counts: Json, events: EventAssembler, model: string | undefined): void {
  events.usage(
    {
      input: asTokens(counts["input_tokens"]),
      cached: asTokens(counts["cache_read_input_tokens"]),
      cacheWrite: asTokens(counts["cache_creation_input_tokens"]),
      cacheWrite1h: 0,
      output: asTokens(counts["output_tokens"]),
      thinking: 0,
    },
    model,
  );
}
