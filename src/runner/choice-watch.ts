/**
 * The choice on a session's screen, while it may matter: when the session asks something, and before an agent's first turn, when
 * no hook tells of what it asks (whether a folder is trusted, which model to use, to sign in).
 */
import { isUrgent, SIGN_IN_ASK, START_ASK } from "../core/state.ts";
import type { StatusReport } from "../protocol/status.ts";
import { readChoice } from "../status/choice.ts";
import type { Choice } from "../status/shown-choice.ts";
import { optionsOnWire } from "../status/offered.ts";
import type { ShownRow } from "../status/shown-row.ts";

/** After output; a screen that is drawn meanwhile is looked at again. */
const LOOK_AFTER_MS = 400;

/** An agent that has not asked by then has begun, whatever is on its screen later. */
const STARTS_WITHIN_MS = 120_000;

export interface ChoiceListener {
  /** What the session is taken to be doing. */
  state(): string | undefined;
  /** An agent is in it. */
  hasAgent(): boolean;
  rows(): readonly ShownRow[];
  /** What an agent asks for that wants somebody to sign in. */
  signIn(screen: readonly string[]): string | undefined;
  report(report: Omit<StatusReport, "source">): void;
  /** What is offered has changed. */
  onChange(): void;
}

export class ChoiceWatch {
  /** The one that is shown, while the session asks something. */
  choice: Choice | undefined;
  /** The question before the first turn that is reported. */
  asked: string | undefined;
  private readonly listener: ChoiceListener;
  private followedAt = 0;
  private hasBegun = false;
  private seen = "";
  private timer: NodeJS.Timeout | undefined;

  constructor(listener: ChoiceListener) {
    this.listener = listener;
  }

  /** An agent has been started. */
  follow(): void {
    this.followedAt = performance.now();
    this.hasBegun = false;
    this.asked = undefined;
    this.lookSoon();
  }

  /** There was output, or something was said of the session. */
  lookSoon(): void {
    if (!this.mayMatter) this.forgetChoice();
    else this.timer ??= setTimeout(() => this.look(false), LOOK_AFTER_MS).unref();
  }

  /** The terminal has fallen silent: what is on the screen is whole. */
  calm(): void {
    if (this.mayMatter) this.look(true);
  }

  /** A hook speaks. One that tells of more than a start is past all that is asked before it. */
  heardHook(state: string | undefined): void {
    if (state === undefined || state === "idle" || state === "offline") return;
    this.hasBegun = true;
    if (this.asked !== undefined) this.over();
  }

  /** The agent has left, or the program has ended: what it asked is over. */
  forget(): void {
    this.close();
    this.asked = undefined;
    this.choice = undefined;
    this.seen = "";
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private get isStarting(): boolean {
    if (this.hasBegun || !this.listener.hasAgent()) return false;
    return this.asked !== undefined || performance.now() - this.followedAt < STARTS_WITHIN_MS;
  }

  private get mayMatter(): boolean {
    return this.isStarting || isUrgent(this.listener.state() ?? "");
  }

  /** A choice counts when it is seen twice, or when the terminal is silent: what is half drawn is none. */
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
    if (this.isStarting) this.tell(choice, rows);
    if (!isSame) this.listener.onChange();
  }

  private tell(choice: Choice | undefined, rows: readonly ShownRow[]): void {
    const signIn = this.listener.signIn(rows.map(({ text }) => text.trimEnd()));
    const question = signIn ?? choice?.question;
    if (question === undefined) {
      if (this.asked !== undefined) this.over();
      return;
    }
    // Somebody has told of it already.
    if (this.asked === undefined && isUrgent(this.listener.state() ?? "")) return;
    if (question === this.asked) return;
    this.asked = question;
    this.listener.report({
      state: "waiting",
      message: question,
      ask: signIn === undefined ? START_ASK : SIGN_IN_ASK,
      event: signIn === undefined ? "choice at the start" : "sign-in",
      ...(signIn !== undefined || choice === undefined ? {} : offer(choice)),
    });
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
