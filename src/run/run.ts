/** The implementation of a run's handle, and the bookkeeping at its end. */
import { setImmediate as nextTick } from "node:timers/promises";
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/agent-event.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { ExitReason, RunResult, RunState } from "../core/run-result.ts";
import type { PriceTable } from "../models/price-table.ts";
import { EventHub } from "./event-hub.ts";
import type { InteractionChannel } from "./interactions.ts";
import { endWithThisProcess } from "./orphan-guard.ts";
import { costOfRun, type SessionCost } from "./run-cost.ts";
import { errorOfEnding, resultOf } from "./run-end.ts";
import type { QueueMoment, RunHandle } from "./run-handle.ts";
import { appendRun, appendRunNow, type RunRecord } from "./run-index.ts";
import { RunLoop, type LoopServices } from "./run-loop.ts";
import type { RunPlan } from "./run-plan.ts";

export interface RunServices extends LoopServices {
  /** amux's directory, which holds the run index. */
  home: string;
  sessionCost: SessionCost;
  /** The model of a session's last answer; undefined if the agent's store does not say. */
  sessionModel(agent: string, sessionId: string): Promise<string | undefined>;
  prices(): PriceTable;
}

export class Run implements RunHandle {
  readonly #plan: RunPlan;
  readonly #services: RunServices;
  readonly #hub: EventHub;
  readonly #loop: RunLoop;
  readonly #startedMs = Date.now();
  readonly #result: Promise<RunResult>;
  #over: RunResult | undefined;

  constructor(plan: RunPlan, services: RunServices) {
    this.#plan = plan;
    this.#services = services;
    this.#hub = new EventHub(plan);
    this.#loop = new RunLoop(plan, services, this.#hub);
    this.#result = this.#run();
  }

  get runId(): string {
    return this.#plan.runId;
  }

  get agent(): string {
    return this.#plan.agent;
  }

  get model(): string | undefined {
    return this.#hub.facts.model;
  }

  get sessionId(): string | undefined {
    return this.#hub.facts.sessionId;
  }

  get interaction(): InteractionChannel {
    return this.#loop.interaction;
  }

  get state(): RunState {
    if (this.#over) return stateOf(this.#over.exitReason);
    if (this.#loop.isPaused) return "paused";
    return this.#loop.isRunning ? "running" : "spawned";
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#hub.log.read();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting a run is part of its interface.
  then<Fulfilled = RunResult, Rejected = never>(
    onFulfilled?: ((result: RunResult) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): PromiseLike<Fulfilled | Rejected> {
    return this.#result.then(onFulfilled, onRejected);
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  on<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this {
    this.#hub.handlers.add(type, handler, false);
    return this;
  }

  once<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this {
    this.#hub.handlers.add(type, handler, true);
    return this;
  }

  off<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this {
    this.#hub.handlers.remove(type, handler);
    return this;
  }

  async send(text: string): Promise<void> {
    this.#checkActive();
    const { active } = this.#loop;
    const isAsked = this.interaction.pending.some(({ type }) => type === "input");
    if (isAsked) this.interaction.respondToFirst("input", { type: "text", text });
    else active.prompt(text);
  }

  async queue(prompt: string, { when = "next-turn" }: { when?: QueueMoment } = {}): Promise<void> {
    this.#checkActive();
    if (when !== "next-turn") this.#checkListens();
    // Whether it can resume is certain only once the adapter is loaded; until then it is assumed.
    const canResume = this.#loop.adapter?.run?.honours.includes("sessionId") !== false;
    if (!canResume || this.#plan.options.noSession === true) {
      throw new AgentMuxError("CAPABILITY_ERROR", "A run that leaves no session takes one prompt only.");
    }
    this.#loop.queue.add(prompt, when);
  }

  async steer(prompt: string): Promise<void> {
    this.#checkActive();
    this.#checkListens();
    this.#loop.active.prompt(prompt);
  }

  continue(prompt: string): Promise<void> {
    return this.queue(prompt);
  }

  async approve(detail?: string): Promise<void> {
    this.interaction.respondToFirst("approval", { type: "approve", ...(detail === undefined ? {} : { detail }) });
  }

  async deny(reason?: string): Promise<void> {
    this.interaction.respondToFirst("approval", { type: "deny", ...(reason === undefined ? {} : { reason }) });
  }

  async interrupt(): Promise<void> {
    this.#checkActive();
    const { active } = this.#loop;
    if (this.#loop.ending !== undefined) return;
    this.#loop.ending = "interrupted";
    this.#hub.emit({ type: "interrupted" });
    active.interrupt();
  }

  async abort(): Promise<void> {
    const { ending } = this.#loop;
    // The last request wins: an interrupt that takes too long becomes an abort.
    if (!this.#over && (ending === undefined || ending === "interrupted")) {
      this.#hub.emit({ type: "aborted" });
      this.#loop.end("aborted");
    }
    await this.#result;
  }

  async pause(): Promise<void> {
    this.#setPaused(true);
  }

  async resume(): Promise<void> {
    this.#setPaused(false);
  }

  #setPaused(isPaused: boolean): void {
    this.#checkActive();
    if (this.#loop.isPaused === isPaused) {
      const message = isPaused ? "The run is paused already." : "The run is not paused.";
      throw new AgentMuxError("INVALID_STATE_TRANSITION", message);
    }
    this.#loop.pause(isPaused);
    this.#hub.emit({ type: isPaused ? "paused" : "resumed" });
  }

  #checkActive(): void {
    if (this.#over) throw new AgentMuxError("RUN_NOT_ACTIVE", `Run ${this.runId} is over.`);
  }

  #checkListens(): void {
    if (this.#loop.active.canListen) return;
    throw new AgentMuxError("CAPABILITY_ERROR", `${this.agent} takes no prompt in the middle of a turn.`);
  }

  async #run(): Promise<RunResult> {
    // The caller gets the handle, and the first event, before anything happens.
    await nextTick();
    const release = endWithThisProcess(() => appendRunNow(this.#services.home, this.#record(this.#outcome(null))));
    await this.#loop.go();
    const result = await this.#closeBooks();
    release();
    return result;
  }

  async #closeBooks(): Promise<RunResult> {
    const cost = await this.#cost();
    await this.#learnModel();
    const { sessionId, turnCount } = this.#hub.facts;
    if (sessionId !== undefined) {
      this.#hub.emit({ type: "session_end", sessionId, turnCount, ...(cost ? { cost } : {}) });
    }
    const result = this.#outcome(cost);
    try {
      await appendRun(this.#services.home, this.#record(result));
    } catch (error) {
      this.#hub.warn(`The run is not in the run index: ${(error as Error).message}`);
    }
    this.#over = result;
    this.#hub.log.end();
    return result;
  }

  #outcome(cost: RunResult["cost"]): RunResult {
    const { facts, collected } = this.#hub;
    const { lastEnd, error } = this.#loop;
    const ending = this.#loop.ending ?? (facts.reachedTurnLimit ? "turn_limit" : undefined);
    const end = {
      ending,
      error: errorOfEnding(ending, this.#plan, lastEnd) ?? error ?? null,
      cost,
      process: lastEnd,
      durationMs: Date.now() - this.#startedMs,
    };
    return resultOf(this.#plan, facts, end, collected);
  }

  #record(result: RunResult): RunRecord {
    const { projectId, sessionId: resumed = null } = this.#plan.options;
    // A run that ended before the agent named its session still belongs to the session it was to resume.
    return { ...result, sessionId: result.sessionId ?? resumed, projectId };
  }

  /** Some agents report their model only in their stored session. */
  async #learnModel(): Promise<void> {
    const { facts } = this.#hub;
    if (facts.model !== undefined || facts.sessionId === undefined) return;
    try {
      facts.model = await this.#services.sessionModel(this.agent, facts.sessionId);
    } catch (error) {
      this.#hub.warn(`The model of the run could not be found: ${(error as Error).message}`);
    }
  }

  async #cost(): Promise<RunResult["cost"]> {
    const { facts } = this.#hub;
    const { sessionId: resumed, noSession } = this.#plan.options;
    const since = resumed === undefined ? undefined : new Date(this.#startedMs);
    try {
      return await costOfRun(facts, {
        billsSubagents: this.#loop.adapter?.run?.billsSubagents === true,
        fromLedger: async () =>
          facts.sessionId === undefined || noSession === true
            ? undefined
            : this.#services.sessionCost(this.agent, facts.sessionId, since),
        prices: () => this.#services.prices(),
        at: this.#startedMs,
      });
    } catch (error) {
      this.#hub.warn(`The cost of the run could not be found: ${(error as Error).message}`);
      return null;
    }
  }
}

function stateOf(reason: ExitReason): RunState {
  if (reason === "timeout" || reason === "inactivity") return "timed-out";
  return reason === "turn_limit" ? "completed" : reason;
}
