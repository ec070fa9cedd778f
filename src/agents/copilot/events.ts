/**
 * Copilot's `--output-format json`: the events of its session file and transient ones, without tokens. Events of a
 * sub-agent carry its id; only its tool calls are reported.
 */
import { asNumber, asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    view: { is: "file_read", path: "path" },
    edit: { is: "file_patch", path: "path" },
    create: { is: "file_create", path: "path", content: "file_text" },
    bash: { is: "shell", command: "command" },
    powershell: { is: "shell", command: "command" },
  },
};

export const GUIDANCE = "Run copilot and sign in with /login, or set GH_TOKEN.";

/** Redundant: another record has the same facts. */
const SILENT =
  /^(?:session|model|user|hook|permission|system|skill|abort)\.|^(?:abort|assistant\.(?:turn_start|message_start|idle|intent|usage)|tool\.(?:execution_partial_result|execution_progress|user_requested)|subagent\.(?:selected|deselected|configured))$/;

/** `sessionId` is chosen before the start, because the output has it only in its last line. */
export function copilotEvents(context: StreamContext, sessionId: string): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  const see = byType({ ...turnHandlers(events), ...toolHandlers(events), ...subagentHandlers(events) }, SILENT);
  return {
    ...jsonLineReader(events, GUIDANCE, (record) => {
      const isSubagents = asText(record["agentId"]) !== undefined;
      if (isSubagents && /^(?:assistant|model)\./.test(stringIn(record, "type"))) return undefined;
      return see(record, asObject(record["data"]) ?? {});
    }),
    begin() {
      events.session(sessionId);
      return events.take();
    },
  };
}

function turnHandlers(events: EventAssembler): RecordHandlers {
  const written = new Set<string>();
  const thought = new Set<string>();
  const stop = (): void => {
    events.thinkingStop();
    events.textStop();
  };
  return {
    "model.call_start": (data) => events.stepStart(asText(data["model"])),
    "session.error"(data) {
      const [message, status] = [stringIn(data, "message"), asNumber(data["statusCode"])];
      events.push(failureEvent({ message, status, guidance: GUIDANCE }));
    },
    "session.compaction_complete": (data) =>
      events.push({ type: "context_compacted", summary: stringIn(data, "summaryContent") }),
    result(_data, record) {
      events.session(stringIn(record, "sessionId"));
      events.turnEnd();
    },
    "assistant.reasoning_delta"(data) {
      thought.add(stringIn(data, "reasoningId"));
      events.thinkingDelta(stringIn(data, "deltaContent"));
    },
    "assistant.reasoning"(data) {
      const content = stringIn(data, "content");
      if (thought.has(stringIn(data, "reasoningId"))) events.thinkingStop(content);
      else events.thinking(content);
    },
    "assistant.message_delta"(data) {
      written.add(stringIn(data, "messageId"));
      events.thinkingStop();
      events.textDelta(stringIn(data, "deltaContent"));
    },
    "assistant.message"(data) {
      const content = stringIn(data, "content");
      events.thinkingStop();
      if (written.has(stringIn(data, "messageId"))) events.textStop(content);
      else if (content !== "") events.text(content);
    },
    "assistant.tool_call_delta"(data) {
      stop();
      const id = stringIn(data, "toolCallId");
      events.toolStart(id, stringIn(data, "toolName"));
      events.toolInput(id, stringIn(data, "inputDelta"));
    },
    "assistant.turn_end"() {
      stop();
      events.stepEnd();
    },
  };
}

function toolHandlers(events: EventAssembler): RecordHandlers {
  return {
    "tool.execution_start"(data, record) {
      const [id, name] = [stringIn(data, "toolCallId"), stringIn(data, "toolName")];
      events.toolReady(id, name, data["arguments"], asText(record["agentId"]));
    },
    "tool.shell_output"(data) {
      const type = data["stream"] === "stderr" ? "shell_stderr_delta" : "shell_stdout_delta";
      events.push({ type, delta: stringIn(data, "text") });
    },
    "tool.execution_complete"(data) {
      const result = asObject(data["result"]);
      const error = asText(asObject(data["error"])?.["message"]) ?? asText(data["error"]) ?? "It failed.";
      const details = asText(result?.["detailedContent"]);
      events.toolDone(stringIn(data, "toolCallId"), {
        ...(data["success"] === true ? { output: result?.["content"] } : { error }),
        ...optional("exitCode", asNumber(asObject(data["shellExecution"])?.["exitCode"])),
        ...optional("diff", details?.includes("diff --git") ? details : undefined),
      });
    },
  };
}

function subagentHandlers(events: EventAssembler): RecordHandlers {
  const named = (data: Json, record: Json): { subagentId: string; agentName: string } => {
    return { subagentId: stringIn(record, "agentId"), agentName: asText(data["agentName"]) ?? "agent" };
  };
  return {
    "subagent.started": (data, record) =>
      events.push({ type: "subagent_spawn", ...named(data, record), prompt: stringIn(data, "agentDescription") }),
    "subagent.completed": (data, record) =>
      events.push({ type: "subagent_result", ...named(data, record), summary: "" }),
    "subagent.failed": (data, record) =>
      events.push({ type: "subagent_error", ...named(data, record), error: stringIn(data, "error") }),
  };
}
