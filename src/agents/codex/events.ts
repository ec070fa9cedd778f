/**
 * Parses Codex's `exec --json`: a thread, turns, and items that are started, updated and completed. Messages come whole. The
 * usage of a turn is the thread's total so far, so it is the run's only in a new thread. The model is not reported.
 */
import type { EventBody } from "../../core/agent-event.ts";
import { asNumber, asObject, asObjects, asString, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: { shell: { is: "shell", command: "command" } },
  mcp: /^mcp:(?<server>[^:]+):(?<tool>.+)$/,
};

export const GUIDANCE = "Run codex login, or set CODEX_API_KEY.";

export function codexEvents(context: StreamContext): AgentStream {
  const reader = new ExecReader(context);
  const lines = jsonLineReader(reader.events, GUIDANCE, (record) => reader.see(record));
  return {
    ...lines,
    end(exit) {
      reader.failWithLastError();
      return lines.end(exit);
    },
  };
}

class ExecReader {
  readonly events: EventAssembler;
  readonly #isNewThread: boolean;
  readonly #outputs = new Map<string, string>();
  #lastError: string | undefined;

  constructor(context: StreamContext) {
    this.events = new EventAssembler(context, TOOLS);
    this.#isNewThread = context.session.kind === "new" || context.session.kind === "none";
  }

  see(record: Json): boolean | void {
    const { events } = this;
    switch (record["type"]) {
      case "thread.started":
        events.session(asString(record["thread_id"]) ?? "");
        return;
      case "turn.started":
        events.turnStart();
        return;
      case "item.started":
        this.#started(asObject(record["item"]) ?? {});
        return;
      case "item.updated":
        this.#updated(asObject(record["item"]) ?? {});
        return;
      case "item.completed":
        this.#completed(asObject(record["item"]) ?? {});
        return;
      case "turn.completed":
        this.#lastError = undefined;
        if (this.#isNewThread) this.#usage(asObject(record["usage"]) ?? {});
        events.turnEnd();
        return;
      case "turn.failed":
        this.#lastError = asText(asObject(record["error"])?.["message"]) ?? this.#lastError ?? "The turn failed.";
        this.failWithLastError();
        events.turnEnd();
        return;
      case "error":
        // Also sent while it reconnects; it is an error only if the turn then fails.
        this.#lastError = asString(record["message"]) ?? "";
        events.push({ type: "debug", level: "warning", message: this.#lastError });
        return;
      default:
        return false;
    }
  }

  failWithLastError(): void {
    const message = this.#lastError;
    this.#lastError = undefined;
    if (message !== undefined) this.events.push(failureEvent({ message, guidance: GUIDANCE }));
  }

  #started(item: Json): void {
    const call = callOf(item);
    if (call) this.events.toolReady(idOf(item), call.name, call.input);
  }

  #updated(item: Json): void {
    if (item["type"] !== "command_execution") return;
    const output = asString(item["aggregated_output"]) ?? "";
    const before = this.#outputs.get(idOf(item)) ?? "";
    this.#outputs.set(idOf(item), output);
    const delta = output.startsWith(before) ? output.slice(before.length) : output;
    if (delta !== "") this.events.push({ type: "shell_stdout_delta", delta });
  }

  #completed(item: Json): void {
    const { events } = this;
    switch (item["type"]) {
      case "agent_message":
        events.text(asString(item["text"]) ?? "");
        return;
      case "reasoning":
        events.thinking(asString(item["text"]) ?? "");
        return;
      case "error":
        events.push({ type: "debug", level: "warning", message: asString(item["message"]) ?? "" });
        return;
      default:
        this.#callEnded(item);
    }
  }

  #callEnded(item: Json): void {
    const id = idOf(item);
    this.#started(item);
    const error = errorOf(item);
    const exitCode = asNumber(item["exit_code"]);
    const output = item["aggregated_output"] ?? item["result"] ?? item["changes"] ?? item["agents_states"] ?? null;
    this.events.toolDone(id, { ...(error === undefined ? { output } : { error }), ...optional("exitCode", exitCode) });
    if (error === undefined) this.events.push(...fileFacts(item), ...subagentFacts(item));
    this.#outputs.delete(id);
  }

  /** Input includes cached tokens, output includes reasoning. */
  #usage(usage: Json): void {
    const [input, cached] = [asTokens(usage["input_tokens"]), asTokens(usage["cached_input_tokens"])];
    const cacheWrite = asTokens(usage["cache_write_input_tokens"]);
    this.events.usage({
      input: Math.max(0, input - cached - cacheWrite),
      cached,
      cacheWrite,
      cacheWrite1h: 0,
      output: asTokens(usage["output_tokens"]),
      thinking: asTokens(usage["reasoning_output_tokens"]),
    });
  }
}

function idOf(item: Json): string {
  return asString(item["id"]) ?? "";
}

/** An item that is a tool call, known or not. */
function callOf(item: Json): { name: string; input: unknown } | undefined {
  const type = asString(item["type"]) ?? "";
  switch (type) {
    case "agent_message":
    case "reasoning":
    case "error":
      return undefined;
    case "command_execution":
      return { name: "shell", input: { command: item["command"] } };
    case "file_change":
      return { name: "apply_patch", input: { changes: item["changes"] } };
    case "mcp_tool_call":
      return { name: `mcp:${asString(item["server"])}:${asString(item["tool"])}`, input: item["arguments"] };
    case "collab_tool_call":
      return { name: asString(item["tool"]) ?? type, input: { prompt: item["prompt"] } };
    default: {
      const { id: _, type: __, status: ___, ...input } = item;
      return { name: type, input };
    }
  }
}

/** A non-zero exit code is the command's failure, not the tool's. */
function errorOf(item: Json): string | undefined {
  const told = asText(asObject(item["error"])?.["message"]) ?? asText(item["error"]);
  if (told !== undefined) return told;
  if (item["status"] === "declined") return "It was not approved.";
  return item["status"] === "failed" && item["type"] !== "command_execution" ? "It failed." : undefined;
}

function fileFacts(item: Json): EventBody[] {
  if (item["type"] !== "file_change") return [];
  return asObjects(item["changes"]).flatMap((change): EventBody[] => {
    const path = asText(change["path"]);
    if (path === undefined) return [];
    if (change["kind"] === "add") return [{ type: "file_create", path }];
    return [{ type: change["kind"] === "delete" ? "file_delete" : "file_patch", path }];
  });
}

const HELPER = "subagent";

function subagentFacts(item: Json): EventBody[] {
  if (item["type"] !== "collab_tool_call") return [];
  const states = Object.entries(asObject(item["agents_states"]) ?? {});
  if (item["tool"] === "spawn_agent") {
    const prompt = asString(item["prompt"]) ?? "";
    return states.map(([subagentId]) => ({ type: "subagent_spawn", subagentId, agentName: HELPER, prompt }));
  }
  return states.flatMap(([subagentId, state]): EventBody[] => {
    const { status, message } = asObject(state) ?? {};
    const words = asString(message) ?? "";
    if (status === "completed") return [{ type: "subagent_result", subagentId, agentName: HELPER, summary: words }];
    return status === "errored" ? [{ type: "subagent_error", subagentId, agentName: HELPER, error: words }] : [];
  });
}
