/**
 * Parses the event stream of Pi and omp (`--mode json`). Their "turn" is one model call, our step. A refused request is an answer
 * with an error; it counts only if no other answer follows.
 */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "./event-assembler.ts";
import { jsonLineReader } from "./json-lines.ts";
import { failureEvent } from "./run-failure.ts";
import type { ToolTable } from "./tool-facts.ts";
import { modelOf, usageIn } from "./tree-format.ts";
import { reportedDollars } from "./tree-usage.ts";

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
  const reader = new TreeReader(new EventAssembler(context, TOOLS), guidance);
  const lines = jsonLineReader(reader.events, guidance, (record) => reader.see(record));
  return {
    ...lines,
    end(exit) {
      reader.settle();
      return lines.end(exit);
    },
  };
}

class TreeReader {
  readonly events: EventAssembler;
  readonly #guidance: string;
  readonly #calls = new Map<number, string>();
  #refusal: string | undefined;
  #hasStreamed = false;

  constructor(events: EventAssembler, guidance: string) {
    this.events = events;
    this.#guidance = guidance;
  }

  see(record: Json): boolean | void {
    const { events } = this;
    switch (record["type"]) {
      case "session":
        events.session(asString(record["id"]) ?? "");
        return;
      case "agent_start":
        events.turnStart();
        return;
      case "turn_start":
        events.stepStart();
        return;
      case "turn_end":
        events.stepEnd();
        return;
      case "message_start":
        this.#hasStreamed = false;
        return;
      case "message_update":
        this.#piece(asObject(record["assistantMessageEvent"]) ?? {});
        return;
      case "message_end":
        this.#messageEnded(asObject(record["message"]) ?? {});
        return;
      case "tool_execution_start":
        events.toolReady(asString(record["toolCallId"]) ?? "", asString(record["toolName"]) ?? "", record["args"]);
        return;
      case "tool_execution_update":
        return;
      case "tool_execution_end":
        this.#toolEnded(record);
        return;
      case "compaction_end":
      case "auto_compaction_end":
        events.push({ type: "context_compacted", summary: asString(asObject(record["result"])?.["summary"]) ?? "" });
        return;
      case "auto_retry_start":
        events.push({ type: "rate_limited", ...optional("retryAfterMs", asNumber(record["delayMs"])) });
        return;
      case "agent_end":
        if (record["isTerminal"] === true) this.settle();
        return;
      case "agent_settled":
        this.settle();
        return;
      default:
        return SILENT.test(asString(record["type"]) ?? "") ? undefined : false;
    }
  }

  /** The agent is done, so the last refusal is final. */
  settle(): void {
    const message = this.#refusal;
    this.#refusal = undefined;
    if (message !== undefined) {
      const status = /^(\d{3})\b/.exec(message)?.[1];
      const told = status === undefined ? undefined : Number(status);
      this.events.push(failureEvent({ message, status: told, guidance: this.#guidance }));
    }
    this.events.turnEnd();
  }

  #piece(piece: Json): void {
    const { events } = this;
    const index = asNumber(piece["contentIndex"]) ?? -1;
    const delta = asString(piece["delta"]) ?? "";
    const content = asString(piece["content"]);
    this.#hasStreamed = true;
    switch (piece["type"]) {
      case "text_start":
      case "text_delta":
        events.textDelta(delta);
        return;
      case "text_end":
        events.textStop(content);
        return;
      case "thinking_start":
      case "thinking_delta":
        events.thinkingDelta(delta);
        return;
      case "thinking_end":
        events.thinkingStop(content);
        return;
      case "toolcall_start": {
        // omp reports neither at the start; its calls begin when they are complete.
        const [id, name] = [asText(piece["id"]), asText(piece["toolName"])];
        if (id === undefined || name === undefined) return;
        this.#calls.set(index, id);
        events.toolStart(id, name);
        return;
      }
      case "toolcall_delta":
        events.toolInput(this.#calls.get(index) ?? "", delta);
        return;
      case "toolcall_end": {
        const call = asObject(piece["toolCall"]) ?? {};
        events.toolStart(asString(call["id"]) ?? "", asString(call["name"]) ?? "");
        this.#calls.delete(index);
        return;
      }
      default:
        return;
    }
  }

  #messageEnded(message: Json): void {
    const { events } = this;
    if (message["role"] !== "assistant") return;
    if (!this.#hasStreamed) this.#wholeMessage(message);
    const { stopReason } = message;
    this.#refusal =
      stopReason === "error" ? (asText(message["errorMessage"]) ?? "The model gave no answer.") : undefined;
    const usage = usageIn(message);
    if (usage === undefined) return;
    const { tokens } = usage;
    if (tokens.input + tokens.cached + tokens.cacheWrite + tokens.output === 0) return;
    events.usage(tokens, modelOf(message));
    const usd = reportedDollars(usage);
    if (usd !== undefined) events.push({ type: "cost", cost: reportedCost(usd, tokens) });
  }

  #wholeMessage(message: Json): void {
    for (const block of asObjects(message["content"])) {
      if (block["type"] === "text") this.events.text(asString(block["text"]) ?? "");
      else if (block["type"] === "thinking") this.events.thinking(asString(block["thinking"]) ?? "");
    }
  }

  #toolEnded(record: Json): void {
    const result = asObject(record["result"]) ?? {};
    const text = asObjects(result["content"])
      .map((block) => asString(block["text"]) ?? "")
      .join("");
    const failed = record["isError"] === true;
    const exitCode = asNumber(asObject(result["structuredContent"])?.["exit_code"]);
    const told = /Command exited with code (\d+)/.exec(text)?.[1];
    this.events.toolDone(
      asString(record["toolCallId"]) ?? "",
      {
        ...(failed ? { error: text } : { output: text }),
        ...optional("durationMs", asNumber(record["durationMs"])),
        ...optional("exitCode", exitCode ?? (told === undefined ? undefined : Number(told))),
        ...optional("diff", asText(asObject(result["details"])?.["diff"])),
      },
      asString(record["toolName"]),
    );
  }
}
