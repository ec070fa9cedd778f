/**
 * Copilot's `--output-format json`: the events of its session file and transient ones, without tokens. Events of a
 * sub-agent carry its id; only its tool calls are reported.
 */
import { asNumber, asObject, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader } from "../shared/json-lines.ts";
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
  const reader = new EventReader(new EventAssembler(context, TOOLS));
  return {
    ...jsonLineReader(reader.events, GUIDANCE, (record) => reader.see(record)),
    begin() {
      reader.events.session(sessionId);
      return reader.events.take();
    },
  };
}

class EventReader {
  readonly events: EventAssembler;
  readonly #written = new Set<string>();
  readonly #thought = new Set<string>();

  constructor(events: EventAssembler) {
    this.events = events;
  }

  see(record: Json): boolean | void {
    const data = asObject(record["data"]) ?? {};
    const subagentId = asText(record["agentId"]);
    const type = asString(record["type"]) ?? "";
    if (type.startsWith("tool.") && this.#tool(type, data, subagentId)) return;
    if (type.startsWith("subagent.") && this.#subagent(type, data, subagentId)) return;
    if (subagentId !== undefined && /^(?:assistant|model)\./.test(type)) return;
    if (type.startsWith("assistant.") && this.#assistant(type, data)) return;
    switch (type) {
      case "model.call_start":
        this.events.stepStart(asText(data["model"]));
        return;
      case "session.error":
        this.events.push(
          failureEvent({
            message: asString(data["message"]) ?? "",
            status: asNumber(data["statusCode"]),
            guidance: GUIDANCE,
          }),
        );
        return;
      case "session.compaction_complete":
        this.events.push({ type: "context_compacted", summary: asString(data["summaryContent"]) ?? "" });
        return;
      case "result":
        this.events.session(asString(record["sessionId"]) ?? "");
        this.events.turnEnd();
        return;
      default:
        return SILENT.test(type) ? undefined : false;
    }
  }

  #assistant(type: string, data: Json): boolean {
    const { events } = this;
    const content = asString(data["content"]) ?? "";
    const delta = asString(data["deltaContent"]) ?? "";
    switch (type) {
      case "assistant.reasoning_delta":
        this.#thought.add(asString(data["reasoningId"]) ?? "");
        events.thinkingDelta(delta);
        return true;
      case "assistant.reasoning":
        if (this.#thought.has(asString(data["reasoningId"]) ?? "")) events.thinkingStop(content);
        else events.thinking(content);
        return true;
      case "assistant.message_delta":
        this.#written.add(asString(data["messageId"]) ?? "");
        events.thinkingStop();
        events.textDelta(delta);
        return true;
      case "assistant.message":
        events.thinkingStop();
        if (this.#written.has(asString(data["messageId"]) ?? "")) events.textStop(content);
        else if (content !== "") events.text(content);
        return true;
      case "assistant.tool_call_delta": {
        events.thinkingStop();
        events.textStop();
        const id = asString(data["toolCallId"]) ?? "";
        events.toolStart(id, asString(data["toolName"]) ?? "");
        events.toolInput(id, asString(data["inputDelta"]) ?? "");
        return true;
      }
      case "assistant.turn_end":
        events.thinkingStop();
        events.textStop();
        events.stepEnd();
        return true;
      default:
        return false;
    }
  }

  #tool(type: string, data: Json, subagentId: string | undefined): boolean {
    const id = asString(data["toolCallId"]) ?? "";
    switch (type) {
      case "tool.execution_start":
        this.events.toolReady(id, asString(data["toolName"]) ?? "", data["arguments"], subagentId);
        return true;
      case "tool.shell_output": {
        const shell = data["stream"] === "stderr" ? "shell_stderr_delta" : "shell_stdout_delta";
        this.events.push({ type: shell, delta: asString(data["text"]) ?? "" });
        return true;
      }
      case "tool.execution_complete": {
        const result = asObject(data["result"]);
        const error = asText(asObject(data["error"])?.["message"]) ?? asText(data["error"]) ?? "It failed.";
        const details = asText(result?.["detailedContent"]);
        this.events.toolDone(id, {
          ...(data["success"] === true ? { output: result?.["content"] } : { error }),
          ...optional("exitCode", asNumber(asObject(data["shellExecution"])?.["exitCode"])),
          ...optional("diff", details?.includes("diff --git") ? details : undefined),
        });
        return true;
      }
      default:
        return false;
    }
  }

  #subagent(type: string, data: Json, subagentId = ""): boolean {
    const agentName = asText(data["agentName"]) ?? "agent";
    switch (type) {
      case "subagent.started":
        this.events.push({
          type: "subagent_spawn",
          subagentId,
          agentName,
          prompt: asString(data["agentDescription"]) ?? "",
        });
        return true;
      case "subagent.completed":
        this.events.push({ type: "subagent_result", subagentId, agentName, summary: "" });
        return true;
      case "subagent.failed":
        this.events.push({ type: "subagent_error", subagentId, agentName, error: asString(data["error"]) ?? "" });
        return true;
      default:
        return false;
    }
  }
}
