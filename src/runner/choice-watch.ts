/**
 * The choice on a session's screen: while the session asks something, and while no hook reports questions: before an agent's
 * first turn (trust, model, sign-in), or always.
 */
import type { StatusSigns } from "../agents/status-hooks.ts";
import { processEnv } from "../lib/fs/paths.ts";
import { processesOfSession } from "../lib/process/processes.ts";
import { isUrgent, SIGN_IN_ASK, START_ASK } from "../core/state.ts";
import type { StatusReport } from "../protocol/status.ts";
import { readChoice } from "../status/choice.ts";
import type { Choice } from "../status/shown-choice.ts";
import { optionsOnWire } from "../status/question-options.ts";
import type { ShownRow } from "../status/shown-row.ts";

/** Delay after output; a screen that changes meanwhile is read again. */
const LOOK_AFTER_MS = 400;

/** How long after a quiet screen that hides work. */
const LOOK_AGAIN_MS = 1000;

/** An agent that has not asked by then has started, whatever its screen shows later. */
const STARTS_WITHIN_MS = 120_000;

export interface ChoiceListener {
  /** The session's current state. */
  state(): string | undefined;
  /** An agent runs in it. */
  hasAgent(): boolean;
  rows(): readonly ShownRow[];
  /** How to read the agent's screen. */
  signs(): StatusSigns | undefined;
  /** The process that leads the terminal's session. */
  leader(): number | undefined;
  report(report: Omit<StatusReport, "source">): void;
  /** The options have changed. */
  onChange(): void;
}

export class ChoiceWatch {
  /** The visible choice, while the session asks something. */
  choice: Choice | undefined;
  /** The reported question before the first turn. */
  asked: string | undefined;
  private readonly listener: ChoiceListener;
  private followedAt = 0;
  private hasBegun = false;
  private seen = "";
  /** The last state on the screen; a question after one is part of a turn. */
  private shown: "working" | "idle" | "asked" | undefined;
  private timer: NodeJS.Timeout | undefined;
  private again: NodeJS.Timeout | undefined;

  constructor(listener: ChoiceListener) {
    this.listener = listener;
  }

  /** An agent has been started. */
  follow(): void {
    this.followedAt = performance.now();
    this.hasBegun = false;
    this.asked = undefined;
    this.shown = undefined;
    this.lookSoon();
  }

  /** There was output, or a new report. */
  lookSoon(): void {
    if (!this.mayMatter) this.forgetChoice();
    else this.timer ??= setTimeout(() => this.look(false), LOOK_AFTER_MS).unref();
  }

  /** The terminal went quiet: the screen is complete. */
  calm(): void {
    if (this.mayMatter) this.look(true);
  }

  /** A hook reported. Anything beyond a start means the startup questions are over. */
  heardHook(state: string | undefined): void {
    if (state === undefined || state === "idle" || state === "offline") return;
    this.hasBegun = true;
    if (this.asked !== undefined) this.over();
  }

  /** The agent has left, or the program has ended: its question is over. */
  forget(): void {
    this.close();
    this.asked = undefined;
    this.choice = undefined;
    this.seen = "";
    this.shown = undefined;
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.again);
    this.timer = undefined;
    this.again = undefined;
  }

  private get isStarting(): boolean {
    if (this.hasBegun || !this.listener.hasAgent()) return false;
    if (this.asked !== undefined || this.listener.signs()?.asksOnScreen === true) return true;
    return performance.now() - this.followedAt < STARTS_WITHIN_MS;
  }

  private get mayMatter(): boolean {
    return this.isStarting || isUrgent(this.listener.state() ?? "");
  }

  /** A choice counts when seen twice, or when the terminal is quiet: a half-drawn one does not. */
  private look(isWhole: boolean): void {
    this.close();
    const rows = this.listener.rows();
    const choice = readChoice(rows);
    const identity = JSON.stringify(choice) ?? "";
    const isSettled = isWhole || identity === this.seen;
    const isSame = identity === (JSON.stringify(this.choice) ?? "");
    this.seen = identity;
    if (!isSettled) return this.lookSoon();
    this.choice = choice;
    if (this.isStarting) this.tell(choice, rows, isWhole);
    if (!isSame) this.listener.onChange();
  }

  private tell(choice: Choice | undefined, rows: readonly ShownRow[], isWhole: boolean): void {
    const signs = this.listener.signs();
    const screen = rows.map(({ text }) => text.trimEnd());
    const signIn = signs?.signIn?.(screen);
    const question = signIn ?? choice?.question;
    if (question === undefined) {
      if (this.asked !== undefined) this.over();
      const state = signs?.screenState?.(screen);
      return this.tellState(isWhole && state === "idle" ? this.stateBehind(signs!) : state, isWhole);
    }
    // Another source has already reported it.
    if (this.asked === undefined && isUrgent(this.listener.state() ?? "")) return;
    if (question === this.asked) return;
    this.asked = question;
    if (this.shown !== undefined) this.shown = "asked";
    this.listener.report({
      state: "waiting",
      message: question,
      ask: signIn === undefined ? START_ASK : SIGN_IN_ASK,
      event: signIn === undefined ? "choice at the start" : "sign-in",
      ...(signIn !== undefined || choice === undefined ? {} : offer(choice)),
    });
  }

  /** A screen that still changes may be between two steps of a turn. */
  private tellState(state: "working" | "idle" | undefined, isWhole: boolean): void {
    if (state === undefined || state === this.shown || (state === "idle" && !isWhole)) return;
    const isEnd = state === "idle" && this.shown !== undefined;
    this.shown = state;
    this.listener.report({ state: isEnd ? "done" : state, event: "its screen" });
  }

  /** Work that the screen does not show ends without output, so it is looked for again. */
  private stateBehind({ isAtWork }: StatusSigns): "working" | "idle" {
    const leader = this.listener.leader();
    if (isAtWork === undefined || this.shown === "idle" || leader === undefined) return "idle";
    if (!isAtWork(processEnv(), processesOfSession(leader))) return "idle";
    this.again ??= setTimeout(() => this.calm(), LOOK_AGAIN_MS).unref();
    return "working";
  }

  private over(): void {
    this.asked = undefined;
    this.listener.report({ state: "idle", ask: START_ASK, event: "choice at the start is made" });
  }

  private forgetChoice(): void {
    this.seen = "";
    if (this.choice === undefined) return;
    this.choice = undefined;
    this.listener.onChange();
  }
}

function offer(choice: Choice): Pick<StatusReport, "options" | "several"> {
  return { options: optionsOnWire(choice), ...(choice.isSeveral ? { several: true } : {}) };
}
