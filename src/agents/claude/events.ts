/**
 * Parses Claude Code's `--output-format stream-json`. With partial messages each block comes twice: as deltas, then whole. The
 * usage on assistant records is from the start of the reply and is ignored; `result` has the final figures.
 */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";
import { answerMessage, interruptMessage, promptMessage, questionEvent, type ToolRequest } from "./dialogue.ts";
import { usageOfRun } from "./run-usage.ts";

const TOOLS: ToolTable = {
  tools: {
    Read: { is: "file_read", path: "file_path" },
    Write: { is: "file_write", path: "file_path", content: "content" },
    Edit: { is: "file_patch", path: "file_path" },
    MultiEdit: { is: "file_patch", path: "file_path" },
    NotebookEdit: { is: "file_patch", path: "notebook_path" },
    Bash: { is: "shell", command: "command" },
  },
  mcp: /^mcp__(?<server>.+?)__(?<tool>.+)$/,
};

export const GUIDANCE = "Run claude and sign in with /login, or set ANTHROPIC_API_KEY.";

/** `listens`: standard input stays open for further prompts and answers. */
export function claudeEvents(context: StreamContext, listens = false): AgentStream {
  const reader = new StreamReader(new EventAssembler(context, TOOLS), context.session.kind === "new");
  const lines = jsonLineReader(reader.events, GUIDANCE, (record) => reader.see(record));
  if (!listens) return lines;
  return {
    ...lines,
    prompt: promptMessage,
    interrupt: interruptMessage,
    answer(id, answer) {
      const request = reader.requests.get(id);
      reader.requests.delete(id);
      return request && answerMessage(id, request, answer);
    },
  };
}

class StreamReader {
  readonly events: EventAssembler;
  /** Open questions by id; the answer repeats the input. */
  readonly requests = new Map<string, ToolRequest>();
  /** Blocks that came as deltas and will come again whole. */
  readonly #streamed = { text: 0, thinking: 0 };
  readonly #blockCalls = new Map<number, string>();
  readonly #helpers = new Map<string, string>();
  readonly #isNewSession: boolean;
  #messageId: string | undefined;

  constructor(events: EventAssembler, isNewSession: boolean) {
    this.events = events;
    this.#isNewSession = isNewSession;
  }

  see(record: Json): boolean | void {
    switch (record["type"]) {
      case "system":
        return this.#system(record);
      case "stream_event":
        // A sub-agent's output has its own events.
        if (asText(record["parent_tool_use_id"]) === undefined) this.#delta(asObject(record["event"]) ?? {});
        return;
      case "assistant":
        return this.#assistant(record);
      case "user":
        return this.#toolResults(record);
      case "result":
        return this.#result(record);
      case "control_request":
        return this.#question(record);
      case "control_response":
      case "control_cancel_request":
      case "rate_limit_event":
      case "keep_alive":
        return;
      default:
        return false;
    }
  }

  #system(record: Json): void {
    const { events } = this;
    switch (record["subtype"]) {
      case "init":
        events.session(asString(record["session_id"]) ?? "", asText(record["model"]));
        events.turnStart();
        return;
      case "api_retry":
        events.push({ type: "rate_limited", ...optional("retryAfterMs", asNumber(record["retry_delay_ms"])) });
        return;
      case "compact_boundary":
        events.push({ type: "context_compacted", summary: "" });
        return;
      case "task_started": {
        const [subagentId, agentName] = [asString(record["task_id"]) ?? "", asText(record["subagent_type"]) ?? "agent"];
        this.#helpers.set(subagentId, agentName);
        events.push({ type: "subagent_spawn", subagentId, agentName, prompt: asString(record["prompt"]) ?? "" });
        return;
      }
      case "task_notification":
        this.#helperEnded(record);
        return;
      default:
        // Status, hooks and progress notes repeat other records.
        return;
    }
  }

  #helperEnded(record: Json): void {
    const subagentId = asString(record["task_id"]) ?? "";
    const agentName = this.#helpers.get(subagentId) ?? "agent";
    const summary = asString(record["summary"]) ?? "";
    this.events.push(
      record["status"] === "completed"
        ? { type: "subagent_result", subagentId, agentName, summary }
        : { type: "subagent_error", subagentId, agentName, error: summary || `ended: ${String(record["status"])}` },
    );
  }

  #delta(event: Json): void {
    const { events } = this;
    const index = asNumber(event["index"]) ?? -1;
    switch (event["type"]) {
      case "message_start":
        this.#beginMessage(asText(asObject(event["message"])?.["id"]));
        return;
      case "content_block_start": {
        const block = asObject(event["content_block"]) ?? {};
        if (block["type"] === "text") this.#open("text", asString(block["text"]) ?? "");
        else if (block["type"] === "thinking") this.#open("thinking", asString(block["thinking"]) ?? "");
        else if (block["type"] === "tool_use") {
          const id = asString(block["id"]) ?? "";
          this.#blockCalls.set(index, id);
          events.toolStart(id, asString(block["name"]) ?? "");
        }
        return;
      }
      case "content_block_delta": {
        const delta = asObject(event["delta"]) ?? {};
        if (delta["type"] === "text_delta") events.textDelta(asString(delta["text"]) ?? "");
        else if (delta["type"] === "thinking_delta") events.thinkingDelta(asString(delta["thinking"]) ?? "");
        else if (delta["type"] === "input_json_delta") {
          events.toolInput(this.#blockCalls.get(index) ?? "", asString(delta["partial_json"]) ?? "");
        }
        return;
      }
      case "content_block_stop":
        if (this.#blockCalls.delete(index)) return;
        events.thinkingStop();
        events.textStop();
        return;
      default:
        return;
    }
  }

  #open(kind: "text" | "thinking", first: string): void {
    this.#streamed[kind]++;
    if (kind === "text") this.events.textDelta(first);
    else this.events.thinkingDelta(first);
  }

  #beginMessage(id: string | undefined): void {
    if (id === undefined || id === this.#messageId) return;
    this.#messageId = id;
    this.#streamed.text = this.#streamed.thinking = 0;
    this.events.stepStart();
  }

  #assistant(record: Json): void {
    const message = asObject(record["message"]) ?? {};
    const blocks = asObjects(message["content"]);
    // Its text is in the result too, where it becomes the run's error.
    if (record["is_api_error_message"] === true || message["model"] === "<synthetic>") return;
    const parent = asText(record["parent_tool_use_id"]);
    const subagentId = parent === undefined ? undefined : (asText(record["agent_id"]) ?? parent);
    if (subagentId === undefined) this.#beginMessage(asText(message["id"]));
    for (const block of blocks) this.#block(block, subagentId);
  }

  #block(block: Json, subagentId: string | undefined): void {
    const { events } = this;
    if (block["type"] === "tool_use") {
      events.toolReady(asString(block["id"]) ?? "", asString(block["name"]) ?? "", block["input"], subagentId);
    }
    if (subagentId !== undefined) return;
    if (block["type"] === "text") {
      const text = asString(block["text"]) ?? "";
      if (this.#streamed.text === 0) events.text(text);
      else {
        this.#streamed.text--;
        events.textStop(text);
      }
    } else if (block["type"] === "thinking") {
      const thinking = asString(block["thinking"]) ?? "";
      if (this.#streamed.thinking === 0) events.thinking(thinking);
      else {
        this.#streamed.thinking--;
        events.thinkingStop(thinking);
      }
    }
  }

  #toolResults(record: Json): void {
    const details = asObject(record["tool_use_result"]);
    for (const block of asObjects(asObject(record["message"])?.["content"])) {
      if (block["type"] !== "tool_result") continue;
      const text = textOf(block["content"]);
      const isError = block["is_error"] === true;
      this.events.toolDone(asString(block["tool_use_id"]) ?? "", {
        ...(isError ? { error: text } : { output: text }),
        ...optional("exitCode", exitCodeIn(text, isError, details)),
      });
    }
  }

  #question(record: Json): boolean {
    const request = asObject(record["request"]) ?? {};
    const interactionId = asText(record["request_id"]);
    if (request["subtype"] !== "can_use_tool" || interactionId === undefined) return false;
    const asked = { toolName: asString(request["tool_name"]) ?? "", input: asObject(request["input"]) ?? {} };
    this.requests.set(interactionId, asked);
    this.events.push(questionEvent(interactionId, asked, asText(request["decision_reason"])));
    return true;
  }

  #result(record: Json): void {
    const { events } = this;
    const usage = usageOfRun(record, this.#isNewSession);
    for (const { tokens, model } of usage.byModel) events.usage(tokens, model);
    if (usage.usd !== undefined) events.push({ type: "cost", cost: reportedCost(usage.usd, usage.total) });
    if (record["subtype"] === "error_max_turns") {
      events.push({ type: "turn_limit", maxTurns: asNumber(record["num_turns"]) ?? 0 });
    } else if (record["is_error"] === true) {
      const message = asText(record["result"]) ?? `Claude Code ended with ${String(record["subtype"])}.`;
      events.push(failureEvent({ message, status: asNumber(record["api_error_status"]), guidance: GUIDANCE }));
    }
    events.turnEnd();
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((block) => asString(block["text"]) ?? "")
    .join("");
}

/** The shell's exit code appears only in the text, and only if it is not zero. */
function exitCodeIn(text: string, isError: boolean, details: Json | undefined): number | undefined {
  const told = /^(?:Error: )?Exit code (\d+)/.exec(text)?.[1];
  if (told !== undefined) return Number(told);
  return !isError && details !== undefined && "stdout" in details && details["interrupted"] !== true ? 0 : undefined;
}
