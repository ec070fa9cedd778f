/** Runs one process after another, for retries and queued prompts, until the run ends. */
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { removeForkCopy } from "../agents/fork-copy.ts";
import type { MadeCopy, PreparedRun, RunRequest } from "../agents/run-support.ts";
import type { AgentEvent } from "../core/agent-event.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { RunError } from "../core/run-result.ts";
import { errorText } from "../lib/text/error-text.ts";
import { optional } from "../lib/values/optional.ts";
import { AskServer } from "./ask-server.ts";
import { needsCopy, requestFor, supportOf, type Fallback } from "./agent-request.ts";
import type { ProcessEnd } from "./agent-process.ts";
import { Attempt } from "./attempt.ts";
import { Deadlines } from "./deadlines.ts";
import type { EventHub } from "./event-hub.ts";
import { InteractionChannel } from "./interactions.ts";
import { environmentFor, programOf } from "./program.ts";
import { countPriorTurns } from "./prior-turns.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { delayBeforeRetry } from "./retry.ts";
import { errorOfAttempt, type Ending } from "./run-end.ts";
import type { QueueMoment } from "./run-handle.ts";
import type { RunPlan } from "./run-plan.ts";
import { Scratch } from "./scratch.ts";

export interface LoopServices {
  env: AgentEnv;
  adapter(name: string): Promise<AgentAdapter>;
  /** Number of turns of a session; undefined if the agent's store does not say. */
  sessionTurns(agent: string, sessionId: string): Promise<number | undefined>;
  /** Copies the session to be forked, up to the message it continues from. */
  forkCopy(plan: RunPlan): Promise<MadeCopy>;
}

export class RunLoop {
  readonly interaction: InteractionChannel;
  readonly queue = new PromptQueue();
  adapter: AgentAdapter | undefined;
  /** Set when the caller or a limit ends the run. */
  ending: Ending | undefined;
  error: RunError | undefined;
  lastEnd: ProcessEnd | undefined;
  readonly #plan: RunPlan;
  readonly #services: LoopServices;
  readonly #hub: EventHub;
  readonly #deadlines: Deadlines;
  readonly #scratch = new Scratch();
  readonly #stopped = new AbortController();
  readonly #stated = new Set<string>();
  #attempt: Attempt | undefined;
  #asking: AskServer | undefined;
  #isPaused = false;

  constructor(plan: RunPlan, services: LoopServices, hub: EventHub) {
    this.#plan = plan;
    this.#services = services;
    this.#hub = hub;
    this.#deadlines = new Deadlines(plan.timeoutMs, plan.inactivityMs, (kind) => {
      if (this.ending !== undefined && this.ending !== "interrupted") return;
      hub.emit({ type: "timeout", kind });
      this.end(kind === "run" ? "timeout" : "inactivity");
    });
    this.interaction = new InteractionChannel((id, answer) => {
      if (this.#asking?.answer(id, answer) !== true) this.active.answer(id, answer);
      if (answer.type !== "deny") hub.emit({ type: "approval_granted", interactionId: id });
      else
        hub.emit({ type: "approval_denied", interactionId: id, ...(answer.reason ? { reason: answer.reason } : {}) });
      this.#weighSilence();
    });
    hub.onEvent = (event) => this.#react(event);
    hub.onFull = (isFull) => {
      this.#attempt?.setReading(!isFull);
      this.#weighSilence();
    };
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isRunning(): boolean {
    return this.#attempt !== undefined;
  }

  get active(): Attempt {
    if (!this.#attempt) throw new AgentMuxError("RUN_NOT_ACTIVE", "The agent is not running at this moment.");
    return this.#attempt;
  }

  /** Never rejects: failures are in `error`. */
  async go(): Promise<void> {
    this.#deadlines.start();
    try {
      this.adapter = await this.#services.adapter(this.#plan.agent);
      await this.#attempts(this.adapter);
    } catch (error) {
      this.error = this.#failureOf(error);
    } finally {
      this.#deadlines.close();
      this.interaction.clear();
      this.#asking?.close();
      this.#scratch.remove();
    }
  }

  end(ending: Ending): void {
    this.ending = ending;
    this.#stopped.abort();
    this.#attempt?.terminate(this.#plan.gracePeriodMs);
  }

  pause(isPaused: boolean): void {
    this.active.freeze(isPaused);
    this.#isPaused = isPaused;
    this.#deadlines.hold(isPaused);
    this.#weighSilence();
  }

  async #attempts(adapter: AgentAdapter): Promise<void> {
    if (!needsCopy(this.#plan, adapter)) return this.#attemptsOn(adapter);
    const copy = await this.#services.forkCopy(this.#plan);
    try {
      await this.#attemptsOn(adapter, copy);
    } finally {
      const hasRun = this.lastEnd !== undefined && this.lastEnd.spawnError === undefined;
      if (!hasRun) removeForkCopy(copy);
    }
  }

  async #attemptsOn(adapter: AgentAdapter, copy?: MadeCopy): Promise<void> {
    const { facts } = this.#hub;
    const asked = requestFor(this.#plan, adapter, this.#scratch, copy);
    let { request } = asked;
    this.#state(asked.fallbacks);
    if (request.asks && supportOf(adapter).gated) {
      this.#asking = await AskServer.start(this.#scratch.path("ask"), (event) => this.#hub.emit(event));
    }
    for (let number = 1; this.ending === undefined; number++) {
      const end = await this.#once(adapter, request);
      if (this.ending !== undefined) return;
      const error = errorOfAttempt(end, facts, adapter);
      if (error) {
        if (await this.#waitForRetry(number, error)) continue;
        this.error = error;
        return;
      }
      const next = this.queue.next("next-turn");
      if (next === undefined) return;
      if (facts.sessionId === undefined)
        throw new AgentMuxError("CAPABILITY_ERROR", "The agent named no session to continue.");
      request = { ...request, prompt: next, session: { kind: "resume", id: facts.sessionId }, attachments: [] };
      number = 0;
    }
  }

  /** Reports each fallback once, however often the agent is started. */
  #state(fallbacks: readonly Fallback[]): void {
    for (const fallback of fallbacks) {
      if (this.#stated.has(fallback.reason)) continue;
      this.#stated.add(fallback.reason);
      this.#hub.emit({ type: "stream_fallback", ...fallback });
    }
  }

  async #waitForRetry(number: number, error: RunError): Promise<boolean> {
    const { hasActed, retryAfterMs } = this.#hub.facts;
    const delayMs = delayBeforeRetry(this.#plan.retry, { number, error, hasActed, retryAfterMs });
    if (delayMs === undefined) return false;
    const { maxAttempts } = this.#plan.retry;
    this.#hub.emit({ type: "retry", attempt: number + 1, maxAttempts, reason: error.message, delayMs });
    await sleep(delayMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    return true;
  }

  /** One process, from its start to its end. */
  async #once(adapter: AgentAdapter, request: RunRequest): Promise<ProcessEnd> {
    const prepared = supportOf(adapter).prepare(request, {
      env: this.#services.env,
      scratch: (name, content) => this.#scratch.file(name, content),
      scratchFolder: (name, files) => this.#scratch.folder(name, files),
      ...(this.#asking ? { ask: { socket: this.#asking.socket, node: process.execPath } } : {}),
      now: () => Date.now(),
    });
    this.#hub.facts.beginAttempt();
    const attempt = this.#start(adapter, prepared, await this.#priorTurns(request));
    this.#attempt = attempt;
    this.#state(prepared.fallbacks ?? []);
    this.#deadlines.expectOutput();
    attempt.setReading(!this.#hub.log.isFull);
    const end = await attempt.ended;
    this.#attempt = undefined;
    this.#isPaused = false;
    this.lastEnd = end;
    this.#deadlines.excuseSilence(true);
    const hasFailed = end.spawnError === undefined && end.exitCode !== 0;
    if (hasFailed && this.ending === undefined) {
      this.#hub.emit({ type: "crash", exitCode: end.exitCode, stderr: end.stderr });
    }
    // Gives a caller that queues a prompt at the end of a turn its chance.
    await nextTick();
    return end;
  }

  #priorTurns({ session }: RunRequest): Promise<number | undefined> {
    const count = (id: string): Promise<number | undefined> => this.#services.sessionTurns(this.#plan.agent, id);
    return countPriorTurns(session, count, (problem) => this.#hub.warn(problem));
  }

  #start(adapter: AgentAdapter, prepared: PreparedRun, priorTurnCount: number | undefined): Attempt {
    const env = environmentFor(this.#services.env, this.#plan.options.env, prepared.vars);
    const program = programOf(adapter, env, prepared.args);
    try {
      return new Attempt({ program, cwd: this.#plan.cwd, env }, prepared, {
        onEvent: (event) =>
          this.#hub.emit(
            event.type === "session_resume" ? { ...event, ...optional("priorTurnCount", priorTurnCount) } : event,
          ),
        onActivity: () => this.#deadlines.sawOutput(),
      });
    } catch (error) {
      const reason = (error as Error).message;
      throw new AgentMuxError("SPAWN_ERROR", `${adapter.displayName} could not be started: ${reason}`, {
        cause: error,
      });
    }
  }

  #react(event: AgentEvent): void {
    switch (event.type) {
      case "approval_request":
      case "input_required":
        this.#ask(event);
        break;
      case "step_start":
        this.#checkTurnLimit();
        break;
      case "tool_result":
      case "tool_error":
        this.#handOver("after-tool");
        break;
      case "message_stop":
        this.#handOver("after-response");
        break;
      case "turn_end":
        // Without more prompts the input is closed and the agent ends. Later prompts start it again.
        if (!this.#handOver("next-turn"))
          void nextTick().then(() => this.#handOver("next-turn") || this.#attempt?.closeInput());
        break;
      default:
        break;
    }
  }

  /** False if there was nothing to send, or the agent takes no input. */
  #handOver(moment: QueueMoment): boolean {
    if (!this.#attempt?.canListen) return false;
    const prompt = this.queue.next(moment);
    if (prompt !== undefined) this.#attempt.prompt(prompt);
    return prompt !== undefined;
  }

  #ask(event: Extract<AgentEvent, { type: "approval_request" | "input_required" }>): void {
    for (const error of this.interaction.add(event)) this.#hub.warn(`A listener threw: ${error.message}`);
    this.#weighSilence();
    const { onApprovalRequest, onInputRequired } = this.#plan.options;
    if (event.type === "approval_request" && onApprovalRequest) {
      void this.#answer(event.interactionId, async () => {
        const decision = await onApprovalRequest(event);
        return decision === "approve" ? { type: "approve" } : { type: "deny" };
      });
    } else if (event.type === "input_required" && onInputRequired) {
      void this.#answer(event.interactionId, async () => ({ type: "text", text: await onInputRequired(event) }));
    }
  }

  async #answer(id: string, decide: () => Promise<Parameters<InteractionChannel["respond"]>[1]>): Promise<void> {
    try {
      this.interaction.respond(id, await decide());
    } catch (error) {
      const { message } = error as Error;
      this.#hub.warn(`No answer could be given: ${message}`);
      // An unanswered question is refused; the agent must not wait forever.
      const isOpen = this.interaction.pending.some((pending) => pending.id === id);
      if (isOpen && this.#attempt) this.interaction.respond(id, { type: "deny", reason: message });
    }
  }

  #checkTurnLimit(): void {
    const { maxTurns } = this.#plan.options;
    if (maxTurns === undefined || this.#hub.facts.stepCount <= maxTurns || this.ending !== undefined) return;
    this.#hub.emit({ type: "turn_limit", maxTurns });
    this.end("turn_limit");
  }

  /** Silence means nothing while the agent is paused, waits for an answer, or its reader is slow. */
  #weighSilence(): void {
    const isExcused = this.#isPaused || this.#hub.log.isFull || this.interaction.pending.length > 0;
    if (this.#attempt) this.#deadlines.excuseSilence(isExcused);
  }

  #failureOf(error: unknown): RunError {
    const known = error instanceof AgentMuxError;
    const code = known ? error.code : "INTERNAL";
    const message = errorText(error);
    this.#hub.emit({ type: "error", code, message, recoverable: false });
    return { code, message, stderr: this.lastEnd?.stderr ?? "", recoverable: known && error.recoverable };
  }
}
