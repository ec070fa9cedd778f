/**
 * A run over the Agent Client Protocol: JSON-RPC, one message per line, in both directions. A session is opened, then given the
 * prompt. The program asks for permission with requests of its own.
 */
import type { RiskLevel } from "../../core/agent-event.ts";
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { PreparedRun, RunRequest } from "../run-support.ts";
import { approvalEvent } from "./approval-event.ts";
import { EventAssembler } from "./event-assembler.ts";
import { jsonLineReader, stringIn } from "./json-lines.ts";
import { failureEvent } from "./run-failure.ts";
import type { ToolTable } from "./tool-facts.ts";

const PROTOCOL_VERSION = 1;
const AUTH_REQUIRED = -32_000;
const METHOD_NOT_FOUND = -32_601;

const RISKS: Readonly<Record<string, RiskLevel>> = { read: "low", search: "low", think: "low", execute: "high" };

/** Updates that add nothing to the events. */
const SILENT =
  /^(?:user_message_chunk|plan|available_commands_update|current_mode_update|config_option_update|session_info_update|usage_update)$/;

export interface AcpAgent {
  readonly tools: ToolTable;
  readonly guidance: string;
  /** The tool's name: the protocol has only a title. */
  toolName(title: string): string;
  /** Why a call failed that is reported as done. */
  failureIn(output: unknown): string | undefined;
}

/** What goes to the program, and the reader of what it says. */
export function acpRun(agent: AcpAgent, request: RunRequest, now: () => number): Pick<PreparedRun, "stdin" | "stream"> {
  const talk = new AcpTalk(agent, request, now);
  const lines = jsonLineReader(talk.events, agent.guidance, (record) => talk.see(record));
  return {
    stdin: talk.opening(),
    stream: {
      ...lines,
      replies: () => talk.takeReplies(),
      prompt: (text) => talk.prompt(text),
      interrupt: () => talk.cancel(),
      answer: (id, answer) => talk.answer(id, answer.type === "approve"),
    },
  };
}

class AcpTalk {
  readonly events: EventAssembler;
  readonly #agent: AcpAgent;
  readonly #request: RunRequest;
  /** Permissions that are not answered yet. */
  readonly #asked = new Map<string, Json>();
  /** Prompts that came during a turn. */
  readonly #held: string[] = [];
  #replies = "";
  #sessionId: string | undefined;
  #isPrompted = false;
  #isCancelled = false;
  #hasSpoken = false;

  constructor(agent: AcpAgent, request: RunRequest, now: () => number) {
    this.#agent = agent;
    this.#request = request;
    this.events = new EventAssembler({ cwd: request.cwd, session: request.session, now }, agent.tools);
  }

  opening(): string {
    const { session, cwd } = this.#request;
    const place = { cwd, mcpServers: [] };
    return (
      line({
        id: "initialize",
        method: "initialize",
        params: { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} },
      }) +
      (session.kind === "resume"
        ? line({ id: "open", method: "session/load", params: { sessionId: session.id, ...place } })
        : line({ id: "open", method: "session/new", params: place }))
    );
  }

  takeReplies(): string {
    const replies = this.#replies;
    this.#replies = "";
    return replies;
  }

  /** A prompt in the middle of a turn is sent at its end. */
  prompt(text: string): string {
    if (!this.#isPrompted && this.#sessionId !== undefined) return this.#promptMessage(text);
    this.#held.push(text);
    return "";
  }

  cancel(): string {
    this.#isCancelled = true;
    if (!this.#isPrompted) return "";
    const cancelled = [...this.#asked.values()].map((asked) => outcome(asked, { outcome: "cancelled" }));
    this.#asked.clear();
    return [line({ method: "session/cancel", params: { sessionId: this.#sessionId } }), ...cancelled].join("");
  }

  answer(interactionId: string, isAllowed: boolean): string | undefined {
    const asked = this.#asked.get(interactionId);
    this.#asked.delete(interactionId);
    return asked && decision(asked, isAllowed);
  }

  see(record: Json): boolean | void {
    const method = asText(record["method"]);
    const params = asObject(record["params"]) ?? {};
    if (method === "session/update") return this.#update(asObject(params["update"]) ?? {});
    if (method === "session/request_permission") return this.#permission(record, params);
    if (method !== undefined) return this.#unknownMethod(record);
    const error = asObject(record["error"]);
    if (error !== undefined) return this.#failed(error);
    return this.#answered(asText(record["id"]), asObject(record["result"]) ?? {});
  }

  #answered(id: string | undefined, result: Json): boolean | void {
    switch (id) {
      case "initialize":
        return;
      case "open":
        return this.#opened(result);
      case "model":
        return this.#begin();
      case "prompt":
        return this.#stopped(asText(result["stopReason"]) ?? "end_turn");
      default:
        return false;
    }
  }

  #opened(result: Json): void {
    const { session, model = asText(asObject(result["models"])?.["currentModelId"]) } = this.#request;
    const sessionId = session.kind === "resume" ? session.id : stringIn(result, "sessionId");
    this.#sessionId = sessionId;
    this.events.session(sessionId, model);
    this.events.turnStart();
    const modelId = this.#request.model;
    if (modelId === undefined) this.#begin();
    else this.#replies += line({ id: "model", method: "session/set_model", params: { sessionId, modelId } });
  }

  #begin(): void {
    if (this.#isCancelled) this.events.turnEnd();
    else this.#replies += this.#promptMessage(this.#request.prompt);
  }

  #promptMessage(text: string): string {
    this.#isPrompted = true;
    const params = { sessionId: this.#sessionId, prompt: [{ type: "text", text }] };
    return line({ id: "prompt", method: "session/prompt", params });
  }

  #stopped(reason: string): void {
    this.#isPrompted = false;
    const next = reason === "end_turn" ? this.#held.shift() : undefined;
    if (next !== undefined) {
      this.#contentStop();
      this.#replies += this.#promptMessage(next);
      return;
    }
    if (reason !== "end_turn" && reason !== "cancelled") this.#fail(`The agent stopped: ${reason}.`);
    else if (reason === "end_turn" && !this.#hasSpoken) this.#fail("The agent ended its turn without an answer.");
    this.#hasSpoken = false;
    this.events.turnEnd();
  }

  #failed(error: Json): void {
    const detail = asText(asObject(error["data"])?.["message"]);
    const message = detail ?? asText(error["message"]) ?? "The agent reported an error.";
    this.#isPrompted = false;
    // Without a turn nothing would end the program.
    this.events.turnStart();
    if (asNumber(error["code"]) === AUTH_REQUIRED) {
      this.events.push({ type: "auth_error", message, guidance: this.#agent.guidance });
    } else this.#fail(message);
    this.events.turnEnd();
  }

  #fail(message: string): void {
    this.events.push(failureEvent({ message, guidance: this.#agent.guidance }));
  }

  /** Before the session is open, the program repeats the one it loads. */
  #update(update: Json): boolean | void {
    if (this.#sessionId === undefined) return;
    const kind = stringIn(update, "sessionUpdate");
    switch (kind) {
      case "agent_message_chunk":
        this.#beginContent();
        this.events.thinkingStop();
        return this.#said(asObject(update["content"]) ?? {});
      case "agent_thought_chunk":
        this.#beginContent();
        this.events.textStop();
        this.events.thinkingDelta(stringIn(asObject(update["content"]) ?? {}, "text"));
        return;
      case "tool_call":
      case "tool_call_update":
        this.#beginContent();
        return this.#tool(update);
      default:
        return SILENT.test(kind) ? undefined : false;
    }
  }

  #beginContent(): void {
    this.#hasSpoken = true;
    this.events.turnStart();
  }

  #said(content: Json): boolean | void {
    if (content["type"] === "text") return this.events.textDelta(stringIn(content, "text"));
    if (content["type"] !== "image") return false;
    const [mimeType, base64] = [stringIn(content, "mimeType"), stringIn(content, "data")];
    this.events.push({ type: "image_output", mimeType, base64 });
  }

  #tool(update: Json): void {
    this.#contentStop();
    const id = stringIn(update, "toolCallId");
    const title = asText(update["title"]);
    if (title !== undefined) this.events.toolStart(id, this.#agent.toolName(title));
    if (update["rawInput"] !== undefined) {
      this.events.toolReady(id, this.#agent.toolName(title ?? ""), update["rawInput"]);
    }
    const status = update["status"];
    // A refused call is reported twice, the second time with the reason.
    if (status !== "completed" && (status !== "failed" || update["rawOutput"] === undefined)) return;
    const output = update["rawOutput"] ?? shownText(update);
    const error = status === "failed" ? textOf(output) : this.#agent.failureIn(output);
    this.events.toolDone(id, error === undefined ? { output } : { error });
  }

  #permission(record: Json, params: Json): void {
    const asked = { id: record["id"], options: asArray(params["options"]) ?? [] };
    if (!this.#request.asks || !this.#request.converses) {
      this.#replies += decision(asked, false);
      return;
    }
    const call = asObject(params["toolCall"]) ?? {};
    const interactionId = `permission-${String(record["id"])}`;
    this.#asked.set(interactionId, asked);
    const toolName = this.#agent.toolName(stringIn(call, "title"));
    const event = approvalEvent(interactionId, toolName, call["rawInput"]);
    this.events.push({ ...event, ...optional("riskLevel", RISKS[stringIn(call, "kind")]) });
  }

  /** A notification needs no answer. */
  #unknownMethod({ id }: Json): boolean {
    if (id !== undefined) this.#replies += line({ id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } });
    return false;
  }

  #contentStop(): void {
    this.events.thinkingStop();
    this.events.textStop();
  }
}

/** Allows or refuses this one time; without such an option, the question is cancelled. */
function decision(asked: Json, isAllowed: boolean): string {
  const kind = isAllowed ? "allow_once" : "reject_once";
  const optionId = asObjects(asked["options"]).find((option) => option["kind"] === kind)?.["optionId"];
  return outcome(asked, optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId });
}

function outcome({ id }: Json, told: Json): string {
  return line({ id, result: { outcome: told } });
}

function shownText(update: Json): string {
  return asObjects(update["content"])
    .flatMap((part) => asText(asObject(part["content"])?.["text"]) ?? [])
    .join("\n");
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

function line(message: Json): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}
