/**
 * Finds the program a shell or script session really runs: the foreground job, and an agent below it. It looks only after output,
 * so an idle shell costs nothing.
 */
import { basename } from "node:path";
import { agentOfCommand } from "../agents/agent-programs.ts";
import { childrenOf, commandOf, foregroundOf } from "../lib/process/processes.ts";
import type { Terminal } from "./terminal.ts";

/** Half a second is soon enough for a person, and without /proc each look costs a process. */
const LOOK_AFTER_MS = process.platform === "linux" ? 500 : 1500;

/** A look takes a third of a millisecond: not while somebody types, but soon after. */
const AFTER_KEY_MS = 50;
const WAIT_AGAIN_MS = 150;
const MAX_WAITS = 10;

/** A shell may start a program later than it shows what was typed, and the program may print nothing. */
const LATER_MS = 3000;

/** `npx agent` is three processes deep; a build may be hundreds wide. */
const MAX_DEPTH = 4;
const MAX_PROCESSES = 24;

export interface FoundAgent {
  name: string;
  pid: number;
}

export interface ForegroundJob {
  program: string;
  agent?: FoundAgent;
  /** A shell started it and waits for it, and gets the terminal back. */
  isOfShell: boolean;
  /** An editor or a viewer waits for its user, however long it runs. */
  isFullScreen: boolean;
}

type WatchedTerminal = Pick<Terminal, "pty" | "exit" | "isFullScreen" | "lastInputAt">;

export class ForegroundWatch {
  private readonly terminal: () => WatchedTerminal | undefined;
  private readonly onChange: (job: ForegroundJob | undefined) => void;
  private readonly onFailure: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private stirredAgain = false;
  /** The timer is for a last look after input. */
  private isLast = false;
  private inputSeenAt = 0;
  private known = "";

  constructor(
    terminal: () => WatchedTerminal | undefined,
    onChange: (job: ForegroundJob | undefined) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.terminal = terminal;
    this.onChange = onChange;
    this.onFailure = onFailure;
  }

  /** There was output. Called for every chunk. */
  stirred(): void {
    if (this.timer !== undefined && !this.isLast) this.stirredAgain = true;
    else {
      clearTimeout(this.timer);
      this.wait();
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Looks again after the last output: a new program may not have existed at the first look. */
  private wait(ms = LOOK_AFTER_MS, times = 0): void {
    this.isLast = false;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (times < MAX_WAITS && this.isTypedInto()) return this.wait(WAIT_AGAIN_MS, times + 1);
      if (this.stirredAgain) this.wait();
      else if (this.hasNewInput()) {
        this.wait(LATER_MS);
        this.isLast = true;
      }
      this.stirredAgain = false;
      this.look();
    }, ms).unref();
  }

  private hasNewInput(): boolean {
    const { lastInputAt = 0 } = this.terminal() ?? {};
    const isNew = lastInputAt !== this.inputSeenAt;
    this.inputSeenAt = lastInputAt;
    return isNew;
  }

  private isTypedInto(): boolean {
    return Date.now() - (this.terminal()?.lastInputAt ?? 0) < AFTER_KEY_MS;
  }

  private look(): void {
    const terminal = this.terminal();
    if (terminal === undefined || terminal.exit !== undefined) return;
    try {
      const job = jobOf(terminal);
      // Between the end of a job and the shell's return the answer is unknown.
      if (job?.program === "") return this.stirred();
      const key = job === undefined ? "" : JSON.stringify(job);
      if (key === this.known) return;
      this.known = key;
      this.onChange(job);
    } catch (error) {
      this.onFailure(error);
    }
  }
}

/** Undefined if the first process itself has the terminal and no agent is below it. */
function jobOf({ pty: { pid: leader }, isFullScreen }: WatchedTerminal): ForegroundJob | undefined {
  const foreground = foregroundOf(leader);
  if (foreground === undefined) return undefined;
  const isOfShell = foreground !== leader;
  const agent = agentBelow(foreground);
  if (!isOfShell && agent === undefined) return undefined;
  const program = basename(commandOf(foreground)[0] ?? "");
  return { program, ...(agent === undefined ? {} : { agent }), isOfShell, isFullScreen };
}

function agentBelow(root: number): FoundAgent | undefined {
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    for (const pid of level) {
      if (++seen > MAX_PROCESSES) return undefined;
      const name = agentOfCommand(commandOf(pid));
      if (name !== undefined) return { name, pid };
    }
    level = level.flatMap(childrenOf);
  }
  return undefined;
}
