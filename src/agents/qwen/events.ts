/**
 * Parses Qwen Code's `-o stream-json`. Each block of an answer is an `assistant` record, and with partial messages comes before as
 * deltas. The last record of an answer has its tokens. Those of `result` are of the whole session, a resumed one included.
 */
import { asNumber, asObject, asObjects, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import { jsonText } from "../../lib/json/json.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    read_file: { is: "file_read", path: "file_path" },
    write_file: { is: "file_write", path: "file_path", content: "content" },
    edit: { is: "file_patch", path: "file_path" },
    notebook_edit: { is: "file_patch", path: "notebook_path" },
    run_shell_command: { is: "shell", command: "command" },
  },
  mcp: /^mcp__(?<server>.+?)__(?<tool>.+)$/,
};

export const GUIDANCE = "Run qwen and sign in with /auth, or set OPENAI_API_KEY and OPENAI_BASE_URL.";

export function qwenEvents(context: StreamContext): AgentStream {
  const reader = new QwenStream(new EventAssembler(context, TOOLS));
  return jsonLineReader(
    reader.events,
    GUIDANCE,
    byType({
      system: (record) => reader.system(record),
      stream_event: (record) => reader.piece(record),
      assistant: (record) => reader.assistant(record),
      user: (record) => reader.results(record),
      result: (record) => reader.result(record),
    }),
  );
}

/** A failed request becomes a text as well as the run's error. */
const FAILED = "[API Error: ";

class QwenStream {
  readonly events: EventAssembler;
  /** Blocks whose deltas came, and whose record follows. */
  readonly #streamed = { text: 0, thinking: 0 };
  readonly #blockCalls = new Map<number, string>();
  /** By the call that started them. */
  readonly #helpers = new Map<string, { id: string; name: string }>();
  #inStep = false;
  /** A block that begins like a failed request: its record tells. */
  #mayHaveFailed = false;
  /** Dropped if the run fails. */
  #failure: string | undefined;

  constructor(events: EventAssembler) {
    this.events = events;
  }

  system(record: Json): boolean | void {
    const { events } = this;
    const data = asObject(record["data"]) ?? {};
    switch (record["subtype"]) {
      case "init":
        events.session(stringIn(record, "session_id"), asText(record["model"]));
        events.turnStart();
        return;
      case "task_started": {
        const [id, name] = [stringIn(data, "task_id"), asText(data["subagent_type"]) ?? "agent"];
        this.#helpers.set(stringIn(data, "tool_use_id"), { id, name });
        const prompt = stringIn(data, "description");
        events.push({ type: "subagent_spawn", subagentId: id, agentName: name, prompt });
        return;
      }
      case "task_notification": {
        const helper = this.#helpers.get(stringIn(data, "tool_use_id"));
        const named = { subagentId: helper?.id ?? stringIn(data, "task_id"), agentName: helper?.name ?? "agent" };
        const status = stringIn(data, "status");
        events.push(
          status === "completed"
            ? { type: "subagent_result", ...named, summary: stringIn(data, "summary") }
            : { type: "subagent_error", ...named, error: `It ended: ${status}.` },
        );
        return;
      }
      default:
        // Notes about hooks, models and the context.
        return;
    }
  }

  piece(record: Json): void {
    const event = asObject(record["event"]) ?? {};
    if (asText(record["parent_tool_use_id"]) !== undefined) return;
    const index = asNumber(event["index"]) ?? -1;
    const { events } = this;
    if (event["type"] === "message_start") this.#step();
    else if (event["type"] === "message_stop") this.#stepEnd();
    else if (event["type"] === "content_block_start") {
      const block = asObject(event["content_block"]) ?? {};
      if (block["type"] !== "tool_use") return;
      const id = stringIn(block, "id");
      this.#blockCalls.set(index, id);
      events.toolStart(id, stringIn(block, "name"));
    } else if (event["type"] === "content_block_delta") this.#delta(asObject(event["delta"]) ?? {}, index);
    else if (event["type"] === "content_block_stop" && !this.#blockCalls.delete(index)) {
      events.thinkingStop();
      events.textStop();
    }
  }

  #delta(delta: Json, index: number): void {
    const { events } = this;
    if (delta["type"] === "text_delta") {
      const text = stringIn(delta, "text");
      this.#mayHaveFailed ||= this.#streamed.text === 0 && text.startsWith(FAILED);
      if (this.#mayHaveFailed) return;
      this.#streamed.text = 1;
      events.textDelta(text);
    } else if (delta["type"] === "thinking_delta") {
      this.#streamed.thinking = 1;
      events.thinkingDelta(stringIn(delta, "thinking"));
    } else if (delta["type"] === "input_json_delta") {
      events.toolInput(this.#blockCalls.get(index) ?? "", stringIn(delta, "partial_json"));
    }
  }

  assistant(record: Json): void {
    const message = asObject(record["message"]) ?? {};
    const parent = asText(record["parent_tool_use_id"]);
    const subagentId = parent === undefined ? undefined : (this.#helpers.get(parent)?.id ?? parent);
    if (subagentId === undefined) {
      this.#tellFailure();
      this.#step();
    }
    for (const block of asObjects(message["content"])) this.#block(block, subagentId);
    const usage = asObject(message["usage"]) ?? {};
    const [input, cached] = [asTokens(usage["input_tokens"]), asTokens(usage["cache_read_input_tokens"])];
    const output = asTokens(usage["output_tokens"]);
    if (input + output === 0) return;
    // Thoughts are part of the output, and not told apart.
    const counts = { input: Math.max(0, input - cached), cached, cacheWrite: 0, cacheWrite1h: 0, output, thinking: 0 };
    this.events.usage(counts, asText(message["model"]));
    if (subagentId !== undefined) return;
    this.#tellFailure();
    this.#stepEnd();
  }

  /** It was an answer that only begins like a failure. */
  #tellFailure(): void {
    if (this.#failure !== undefined) this.events.text(this.#failure);
    this.#failure = undefined;
  }

  #block(block: Json, subagentId: string | undefined): void {
    const { events } = this;
    if (block["type"] === "tool_use") {
      events.toolReady(stringIn(block, "id"), stringIn(block, "name"), block["input"], subagentId);
    }
    if (subagentId !== undefined) return;
    if (block["type"] === "text") {
      const text = stringIn(block, "text");
      if (this.#streamed.text === 0) {
        if (text.startsWith(FAILED)) this.#failure = text;
        else events.text(text);
      }
      this.#streamed.text = 0;
      this.#mayHaveFailed = false;
    } else if (block["type"] === "thinking") {
      if (this.#streamed.thinking === 0) events.thinking(stringIn(block, "thinking"));
      this.#streamed.thinking = 0;
    }
  }

  results(record: Json): void {
    // Services that count no tokens do not tell which record of an answer is the last.
    if (asText(record["parent_tool_use_id"]) === undefined) {
      this.#tellFailure();
      this.#stepEnd();
    }
    for (const block of asObjects(asObject(record["message"])?.["content"])) {
      if (block["type"] !== "tool_result") continue;
      const { content } = block;
      const output = typeof content === "string" ? content : jsonText(content);
      const outcome = block["is_error"] === true ? { error: output } : { output };
      this.events.toolDone(stringIn(block, "tool_use_id"), outcome);
    }
  }

  result(record: Json): void {
    if (record["is_error"] === true) {
      const told = asText(asObject(record["error"])?.["message"]) ?? "The run failed.";
      const message = told.startsWith(FAILED) ? told.slice(FAILED.length, -1) : told;
      this.events.push(failureEvent({ message, guidance: GUIDANCE }));
    } else this.#tellFailure();
    this.events.turnEnd();
  }

  #step(): void {
    if (this.#inStep) return;
    this.#inStep = true;
    this.events.stepStart();
  }

  #stepEnd(): void {
    this.events.stepEnd();
    this.#inStep = false;
  }
}
