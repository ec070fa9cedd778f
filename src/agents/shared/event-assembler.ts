/**
 * Builds well-formed events from agents' output: each start has its end, deltas carry what came before them, and a tool's result
 * knows its call. Parsers report what they saw, in any order.
 */
import type { EventBody } from "../../core/agent-event.ts";
import type { CostRecord, TokenCounts } from "../../core/cost.ts";
import { figuresOf } from "../../core/tokens.ts";
import type { RunRequest } from "../run-support.ts";
import { factsOfEnd, factsOfStart, type ToolOutcome, type ToolTable } from "./tool-facts.ts";

export interface StreamContext {
  readonly cwd: string;
  readonly session: RunRequest["session"];
  readonly now: () => number;
}

interface OpenCall {
  name: string;
  input: unknown;
  inputText: string;
  ready: boolean;
  startedMs: number;
  subagentId: string | undefined;
}

const FAILURES: ReadonlySet<EventBody["type"]> = new Set([
  "auth_error",
  "rate_limit_error",
  "context_exceeded",
  "error",
]);

export class EventAssembler {
  readonly #context: StreamContext;
  readonly #table: ToolTable;
  readonly #calls = new Map<string, OpenCall>();
  #events: EventBody[] = [];
  #hasFailed = false;
  #sessionId: string | undefined;
  #text: string | undefined;
  #thinking: string | undefined;
  #turns = 0;
  #steps = 0;
  #inTurn = false;
  #inStep = false;

  constructor(context: StreamContext, table: ToolTable = { tools: {} }) {
    this.#context = context;
    this.#table = table;
  }

  push(...events: EventBody[]): void {
    this.#events.push(...events);
    this.#hasFailed ||= events.some(({ type }) => FAILURES.has(type));
  }

  /** An error that ends the run was reported. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The events since the last call. */
  take(): EventBody[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The session of the run; reported once. */
  session(sessionId: string, model?: string): void {
    if (this.#sessionId === sessionId) return;
    this.#sessionId = sessionId;
    const { session } = this.#context;
    const origin = session.kind === "fork" ? { forkedFrom: session.id } : {};
    const resumed = session.kind === "resume";
    this.push({ type: "session_start", sessionId, resumed, ...origin, ...(model === undefined ? {} : { model }) });
    if (resumed) this.push({ type: "session_resume", sessionId });
    if (session.kind === "fork") this.push({ type: "session_fork", sessionId, forkedFrom: session.id });
  }

  turnStart(): void {
    if (this.#inTurn) return;
    this.#inTurn = true;
    this.push({ type: "turn_start", turnIndex: this.#turns });
  }

  turnEnd(cost?: CostRecord): void {
    this.#closeContent();
    this.stepEnd();
    if (!this.#inTurn) return;
    this.#inTurn = false;
    this.push({ type: "turn_end", turnIndex: this.#turns++, ...(cost ? { cost } : {}) });
    this.#steps = 0;
  }

  stepStart(model?: string): void {
    this.stepEnd();
    this.turnStart();
    this.#inStep = true;
    this.push({ type: "step_start", ...this.#step(), ...(model === undefined ? {} : { model }) });
  }

  stepEnd(): void {
    if (!this.#inStep) return;
    this.#inStep = false;
    this.push({ type: "step_end", ...this.#step() });
    this.#steps++;
  }

  #step(): { turnIndex: number; stepIndex: number; stepType: string } {
    return { turnIndex: this.#turns, stepIndex: this.#steps, stepType: "model" };
  }

  textDelta(delta: string): void {
    if (this.#text === undefined) this.push({ type: "message_start" });
    this.#text = (this.#text ?? "") + delta;
    if (delta !== "") this.push({ type: "text_delta", delta, accumulated: this.#text });
  }

  /** `full` is the complete message, if the agent sends it. */
  textStop(full = this.#text): void {
    if (this.#text !== undefined) this.push({ type: "message_stop", text: full! });
    this.#text = undefined;
  }

  /** A whole message. */
  text(full: string): void {
    this.textStop();
    this.textDelta(full);
    this.textStop();
  }

  thinkingDelta(delta: string): void {
    if (this.#thinking === undefined) this.push({ type: "thinking_start" });
    this.#thinking = (this.#thinking ?? "") + delta;
    if (delta !== "") this.push({ type: "thinking_delta", delta, accumulated: this.#thinking });
  }

  thinkingStop(full = this.#thinking): void {
    if (this.#thinking !== undefined) this.push({ type: "thinking_stop", thinking: full! });
    this.#thinking = undefined;
  }

  thinking(full: string): void {
    this.thinkingStop();
    this.thinkingDelta(full);
    this.thinkingStop();
  }

  toolStart(id: string, name: string, subagentId?: string): void {
    if (this.#calls.has(id)) return;
    this.#calls.set(id, {
      name,
      input: undefined,
      inputText: "",
      ready: false,
      startedMs: this.#context.now(),
      subagentId,
    });
    this.#pushIn(subagentId, { type: "tool_call_start", toolCallId: id, toolName: name, inputAccumulated: "" });
  }

  toolInput(id: string, delta: string): void {
    const call = this.#calls.get(id);
    if (!call || delta === "") return;
    call.inputText += delta;
    this.#pushIn(call.subagentId, {
      type: "tool_input_delta",
      toolCallId: id,
      delta,
      inputAccumulated: call.inputText,
    });
  }

  /** The input is complete; the tool is about to run. */
  toolReady(id: string, name: string, input: unknown, subagentId?: string): void {
    this.toolStart(id, name, subagentId);
    const call = this.#calls.get(id)!;
    if (call.ready) return;
    Object.assign(call, { name, input, ready: true, startedMs: this.#context.now() });
    this.#pushIn(
      call.subagentId,
      { type: "tool_call_ready", toolCallId: id, toolName: name, input },
      ...factsOfStart(this.#table, { id, name, input }, this.#context.cwd),
    );
  }

  toolDone(id: string, outcome: ToolOutcome, name?: string): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const toolName = call?.name ?? name ?? "";
    const durationMs = outcome.durationMs ?? (call ? this.#context.now() - call.startedMs : 0);
    this.#pushIn(
      call?.subagentId,
      outcome.error === undefined
        ? { type: "tool_result", toolCallId: id, toolName, output: outcome.output, durationMs }
        : { type: "tool_error", toolCallId: id, toolName, error: outcome.error, durationMs },
      ...(call ? factsOfEnd(this.#table, { id, name: toolName, input: call.input }, outcome, durationMs) : []),
    );
  }

  usage(tokens: TokenCounts, model?: string): void {
    this.push({ type: "token_usage", ...figuresOf(tokens), ...(model === undefined ? {} : { model }) });
  }

  /** Closes what is open, for a stream that stopped in the middle. */
  close(): void {
    this.turnEnd();
  }

  #closeContent(): void {
    this.thinkingStop();
    this.textStop();
  }

  #pushIn(subagentId: string | undefined, ...events: EventBody[]): void {
    this.push(...(subagentId === undefined ? events : events.map((event) => ({ ...event, subagentId }))));
  }
}

/** The cost as the agent reports it. */
export function reportedCost(totalUsd: number, tokens: TokenCounts): CostRecord {
  return { totalUsd, ...figuresOf(tokens), kind: "reported" };
}
