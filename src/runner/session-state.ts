/**
 * The session's titles, status, unread mark and exit. It is the only writer of these fields; each real change is announced once.
 */
import type { LaunchSpec } from "../protocol/launch-spec.ts";
import type { HookDecision } from "../core/hooks.ts";
import type { InnerProcess, RunnerEvents, SessionVerdict } from "../protocol/runner-api.ts";
import type { Source, Status, StatusReport } from "../protocol/status.ts";
import { endedInError, endOf } from "../protocol/session-end.ts";
import { sessionTitle } from "../protocol/session-title.ts";
import { statusOf } from "../protocol/wire-status.ts";
import { isUrgent, START_ASK } from "../core/state.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import { EvidenceBoard, verdictOnWire } from "../status/evidence-board.ts";
import type { Choice } from "../status/shown-choice.ts";
import { withOffer } from "../status/question-options.ts";
import { questionId } from "../status/question-id.ts";
import { ChoiceWatch } from "./choice-watch.ts";
import { AgentObserver } from "./agent-observer.ts";
import { HeldHooks } from "./held-hooks.ts";
import { innerProcess } from "./inner-process.ts";
import { MetaChanges } from "./meta-changes.ts";
import type { EventHub } from "./event-hub.ts";
import type { ForegroundJob } from "./foreground-job.ts";
import type { PtyExit } from "./pty.ts";
import type { Terminal } from "./terminal.ts";

type Titles = Partial<Record<"shell_title" | "adapter_title" | "subtitle" | "name", string>>;

export class SessionState {
  readonly board = new EvidenceBoard();
  readonly held = new HeldHooks(({ ask }) => {
    this.board.release(ask);
    this.judge();
  });
  readonly startedAt = new Date().toISOString();
  readonly titles: Titles = {};
  slug: string | undefined;
  /** The agent's own session id. */
  resumeKey: string | undefined;
  exit: PtyExit | undefined;
  /** Set if it was told to end. */
  killed: true | undefined;
  exitedAt: string | undefined;
  unread = false;
  unreadToken = 0;
  /** Prompts in its queue; absent without one. */
  queue: { queued?: number; queue_held?: number } = {};
  /** In milliseconds: it is set for every chunk of output. */
  lastActivityAt: number | undefined;
  private readonly spec: LaunchSpec;
  private readonly hub: EventHub;
  private readonly isWatched: () => boolean;
  readonly sights: AgentObserver;
  private readonly choices: ChoiceWatch;
  /** It was started as an agent, not as a shell or script in which one may come and go. */
  readonly isAgents: boolean;
  private job: ForegroundJob | undefined;
  /** The process of an agent in a shell. */
  agentProcess: InnerProcess | undefined;
  private toldAgent: string | undefined;
  private isSpokenFor = false;
  private hasWorked = false;
  private toldStatus = "null";
  private told: SessionVerdict | undefined;
  private settleTimer: NodeJS.Timeout | undefined;
  private readonly changes: MetaChanges;

  constructor(
    spec: LaunchSpec,
    hub: EventHub,
    isWatched: () => boolean,
    main: () => Terminal | undefined,
    onFailure: (error: unknown) => void,
  ) {
    this.spec = spec;
    this.hub = hub;
    this.changes = new MetaChanges((change) => hub.emit("meta", change));
    this.isWatched = isWatched;
    this.slug = spec.slug;
    this.resumeKey = spec.resume_key;
    if (spec.name !== undefined) this.titles.name = spec.name;
    if (spec.adapter_title !== undefined) this.titles.adapter_title = spec.adapter_title;
    this.choices = new ChoiceWatch({
      state: () => this.told?.state,
      hasAgent: () => this.hasAgent,
      rows: () => main()?.shownRows() ?? [],
      signs: () => this.sights.signs,
      leader: () => main()?.pty.pid,
      report: (report) => this.report("agent", report),
      onChange: () => this.judge(),
    });
    this.sights = new AgentObserver({
      state: () => this.board.verdict?.state,
      lacksReason: () => this.told?.state === "error" && this.told.message === undefined,
      isSpokenFor: () => this.isSpokenFor,
      startedAt: () => Date.parse(this.startedAt),
      report: (source, report) => this.report(source, report),
      isAsking: () => this.choices.asked !== undefined,
      onFollow: () => this.choices.follow(),
      onKnown: () => this.choices.lookSoon(),
      onGone: (pid) => this.processGone(pid),
      onFailure,
    });
    this.sights.follow(spec.kind);
    this.isAgents = this.sights.agent !== undefined;
  }

  get title(): string {
    return sessionTitle({ ...this.titles, command: this.spec.command, kind: this.spec.kind });
  }

  /** Its slug in URLs and commands. */
  get address(): string | undefined {
    return this.slug ?? this.spec.given_slug;
  }

  get status(): Status | null {
    return statusOf(this.board.current);
  }

  setTitle(field: keyof Titles, text: string): void {
    if (field === "shell_title") this.sights.sawTitle(text);
    if ((this.titles[field] ?? "") === text) return;
    if (text === "") delete this.titles[field];
    else this.titles[field] = text;
    this.changes.add({ [field]: text, title: this.title });
  }

  /** Undefined restores the assigned one. */
  setSlug(slug: string | undefined): void {
    if (this.slug === slug) return;
    this.slug = slug;
    const { address } = this;
    if (address !== undefined) this.changes.add({ slug: address });
  }

  /** The state derived from all reports; undefined if there are none. */
  get verdict(): SessionVerdict | undefined {
    return this.verdictWith(this.choices.choice);
  }

  verdictWith(choice: Choice | undefined): SessionVerdict | undefined {
    const { verdict } = this.board;
    if (verdict === undefined) return undefined;
    const told = verdictOnWire(verdict);
    if (!isUrgent(told.state)) return told;
    const offered = withOffer(this.isAtStart(told) ? { ...told, ask: START_ASK } : told, choice);
    return { ...offered, asked: questionId(offered) };
  }

  /** The agent itself reports a question before its first turn; Claude Code does so for its trust dialog. */
  private isAtStart({ source, ask }: SessionVerdict): boolean {
    return source === "agent" && ask === undefined && this.hasAgent && !this.hasWorked;
  }

  setQueue(counts: { queued: number; queue_held: number }): void {
    if (this.queue.queued === counts.queued && this.queue.queue_held === counts.queue_held) return;
    this.queue = counts;
    this.changes.add(counts);
  }

  /** The agent's transcript, if it is known. */
  get transcript(): string | undefined {
    return this.sights.transcript;
  }

  setResumeKey(key: string): void {
    if (this.resumeKey === key) return;
    this.resumeKey = key;
    this.changes.add({ resume_key: key });
  }

  /** A report, or null if the source withdraws its last one. */
  report(source: Source, report: Omit<StatusReport, "source"> | null): void {
    const full = report === null ? undefined : { at: new Date().toISOString(), ...report, source };
    if (full === undefined) this.board.clear(source);
    else this.board.set(full);
    if (full !== undefined) this.hub.emit("report", full);
    if (!this.isAgents && this.board.evidence.said.hook?.state === "offline") this.agentLeft();
    this.judge();
  }

  /** The agent that runs in it now, if it is not the started program. */
  get agent(): string | undefined {
    return this.isAgents ? undefined : (this.job?.agent?.name ?? this.sights.agent);
  }

  /** An agent runs in it, started directly or by hand. */
  get hasAgent(): boolean {
    return this.sights.agent !== undefined;
  }

  /** Another program has the shell's terminal; undefined when the shell has it again. */
  jobChanged(job: ForegroundJob | undefined): void {
    const before = this.job;
    this.job = job;
    if (before?.agent !== undefined && before.agent.pid !== job?.agent?.pid) this.agentLeft();
    if (job?.agent?.pid !== this.agentProcess?.pid) this.agentProcess = job?.agent && innerProcess(job.agent.pid);
    if (job?.agent !== undefined || job?.isFullScreen === true) {
      // A shell's prompt marks only say that it runs something, not what.
      this.board.clear("prompt");
      this.board.clear("process");
      if (job.agent !== undefined) this.sights.follow(job.agent.name);
      this.judge();
    } else if (job?.isOfShell === true) {
      this.report("process", { state: "working", event: job.program });
    } else if (before?.isOfShell === true) {
      this.report("process", { state: "idle", event: `${before.agent?.name ?? before.program} has ended` });
    }
    this.tellAgent();
  }

  /** A report from the program through its terminal, or from a script for it. */
  said(report: Omit<StatusReport, "source"> | null): void {
    this.isSpokenFor = report !== null;
    this.report("agent", report);
  }

  /** The user's answer was typed. A script that asked for it may never report again, so its question is withdrawn. */
  answered(question: SessionVerdict | undefined): boolean {
    const isScripts = !this.hasAgent && question?.source === "agent" && isUrgent(question.state);
    // A newer report is about something else.
    if (!isScripts || this.verdict?.at !== question.at) return false;
    this.said(null);
    return true;
  }

  /** Its terminal went quiet. */
  calm(): void {
    if (this.exit === undefined) this.choices.calm();
  }

  /** There was output. */
  stirred(): void {
    if (this.exit === undefined) this.choices.lookSoon();
  }

  /** A hook's data besides a state. */
  heardHook(message: unknown): void {
    this.sights.heardHook(message);
    this.choices.heardHook(asText(asObject(message)?.["state"]));
    this.tellAgent();
  }

  /** The file watcher found the agent's transcript. */
  sawTranscript(path: string): void {
    this.sights.sawTranscript(path);
  }

  /** There is something new; a current viewer has read it already. */
  markUnread(): void {
    if (this.isWatched()) return;
    this.unread = true;
    this.unreadToken++;
    this.changes.add({ unread: true, unread_token: this.unreadToken });
  }

  /** With a token, only the result it identifies is marked as read. */
  markRead(token?: number): boolean {
    if (token !== undefined && token !== this.unreadToken) return false;
    if (this.unread) {
      this.unread = false;
      this.changes.add({ unread: false });
    }
    return true;
  }

  ended(exit: PtyExit): void {
    this.exit = exit;
    this.exitedAt = new Date().toISOString();
    this.held.release(() => true);
    this.choices.forget();
    if (!this.isAgents) {
      this.job = undefined;
      this.agentProcess = undefined;
      this.agentLeft();
    }
    this.board.clearAll();
    const end = this.end!;
    if (endedInError(end)) {
      this.board.set({ state: "stopped", label: endOf(end), source: "process", at: this.exitedAt });
    }
    this.judge();
    // All of it before the end, after which nothing may be told any more.
    this.markUnread();
    this.changes.flush();
    this.hub.emit("exit", end);
  }

  /** Undefined while it runs. */
  get end(): RunnerEvents["exit"] | undefined {
    if (this.exit === undefined) return undefined;
    const { exitCode: exit_code, signal } = this.exit;
    const end = { exit_code, ...optional("exit_signal", signal), ...optional("killed", this.killed) };
    return { ...end, ...optional("exited_at", this.exitedAt) };
  }

  close(): void {
    this.changes.close();
    clearTimeout(this.settleTimer);
    this.sights.close();
    this.choices.close();
  }

  /** Passes a decision to a waiting hook. False if none waits. */
  decide(decision: HookDecision, ask: string | undefined): boolean {
    const question = this.held.decide(decision, ask);
    if (question === undefined) return false;
    const { ask: decided, scope } = question;
    this.report("hook", {
      state: "working",
      event: decision.behavior === "allow" ? "allowed by the user" : "denied by the user",
      ...(decided === undefined ? {} : { ask: decided }),
      ...(scope === undefined ? {} : { scope }),
    });
    return true;
  }

  /** Somebody looks or types: an agent that hides its dialog behind a hook must show it. */
  showDialogs(): void {
    this.held.release(({ hidesDialog }) => hidesDialog);
  }

  private processGone(pid: number): void {
    const event = `process ${pid} is gone`;
    if (this.isAgents) return this.report("process", { state: "offline", event });
    this.agentLeft();
    this.report("process", { state: "idle", event });
  }

  /** The shell continues without its agent: the agent's reports no longer apply. */
  private agentLeft(): void {
    for (const source of ["hook", "agent", "transcript"] as const) this.board.clear(source);
    this.isSpokenFor = false;
    this.hasWorked = false;
    this.sights.forget();
    this.choices.forget();
    this.tellAgent();
  }

  /** Announces the agent in the shell, so that the session can be linked to its conversation. */
  private tellAgent(): void {
    const { agent, agentProcess } = this;
    const pid = agentProcess?.pid;
    const told = this.isAgents || agent === undefined ? undefined : `${agent} ${pid ?? ""}`;
    if (told === this.toldAgent) return;
    // A hook that names its conversation may arrive before its process is found.
    if (agent !== this.toldAgent?.split(" ")[0]) {
      this.resumeKey = undefined;
      this.setTitle("adapter_title", "");
    }
    this.toldAgent = told;
    this.changes.add({ agent: agent ?? "", agent_process: agentProcess ?? null });
  }

  /** Announces a new state, and schedules a check if it can change by itself: no state outlives its cause. */
  private judge(): void {
    clearTimeout(this.settleTimer);
    const { told, verdict } = this;
    this.told = verdict;
    this.hasWorked ||= verdict?.state === "working";
    const { settlesInMs } = this.board;
    this.settleTimer = settlesInMs === undefined ? undefined : setTimeout(() => this.judge(), settlesInMs + 1);
    const isOther = told?.state !== verdict?.state;
    // The user wants to know about the end of a turn, or a question.
    const isNews = told?.state === "working" || isUrgent(verdict?.state ?? "");
    if (isOther && isNews && this.exit === undefined) this.markUnread();
    if (
      isOther ||
      told?.message !== verdict?.message ||
      told?.label !== verdict?.label ||
      told?.ask !== verdict?.ask ||
      told?.held !== verdict?.held ||
      JSON.stringify(told?.options) !== JSON.stringify(verdict?.options)
    )
      this.hub.emit("state", verdict ?? null);
    this.tellStatus();
    this.sights.judged();
    if (this.exit === undefined) this.choices.lookSoon();
    this.letGo();
  }

  /** Releases hooks whose question is over. */
  private letGo(): void {
    const open = new Set(this.board.evidence.asks.map(({ ask }) => ask));
    this.held.release(({ ask }) => !open.has(ask));
  }

  private tellStatus(): void {
    const { status } = this;
    const text = JSON.stringify(status);
    if (text === this.toldStatus) return;
    this.toldStatus = text;
    this.hub.emit("status", status);
  }
}
