/**
 * One agent process: leads its own process session and is read line by line. `ended` resolves once, after all output is read and
 * every child is gone.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { LineSplitter } from "./line-splitter.ts";
import { endWithThisProcess } from "./orphan-guard.ts";
import { hasSurvivors, signalGroup, signalSurvivors } from "./process-tree.ts";
import { TailBuffer } from "./tail-buffer.ts";

/** Enough for a stack trace and its context. */
const STDERR_BYTES = 64 * 1024;
/** Output left in the pipe arrives at once when the process is gone; longer means another process holds the pipe. */
const DRAIN_MS = 500;
/** Grace period for processes the agent left running. */
const SURVIVOR_GRACE_MS = 1000;
const POLL_MS = 20;

export interface ProcessSpec {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: string;
  /** Standard input stays open after `stdin`. */
  listens: boolean;
}

export interface ProcessListener {
  onLine: (line: string) => void;
  onLongLine: (bytes: number) => void;
  /** Bytes arrived on either stream. */
  onActivity: () => void;
}

export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** It could not be started. */
  spawnError?: Error;
}

export class AgentProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #stderr = new TailBuffer(STDERR_BYTES);
  #gone = false;
  #force: NodeJS.Timeout | undefined;

  constructor(spec: ProcessSpec, listener: ProcessListener) {
    this.#child = spawn(spec.program, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.ended = this.#untilGone(listener);
    // An agent that ends without reading its prompt explains that on its other streams.
    this.#child.stdin.on("error", () => undefined);
    if (spec.stdin !== undefined) this.#child.stdin.write(spec.stdin);
    if (!spec.listens) this.#child.stdin.end();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get canListen(): boolean {
    return this.#child.stdin.writable;
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  /** Pauses reading, so that the agent blocks once the pipe is full. */
  setReading(isReading: boolean): void {
    if (this.#gone || isReading) this.#child.stdout.resume();
    else this.#child.stdout.pause();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined && !this.#gone) signalGroup(this.pid, signal);
  }

  /** Sends SIGTERM, then SIGKILL. `ended` resolves afterwards. */
  terminate(graceMs: number): void {
    this.signal("SIGTERM");
    // A stopped process cannot act on anything until it is continued.
    this.signal("SIGCONT");
    this.setReading(true);
    this.#force ??= setTimeout(() => this.signal("SIGKILL"), graceMs);
  }

  async #untilGone(listener: ProcessListener): Promise<ProcessEnd> {
    const child = this.#child;
    const lines = new LineSplitter(listener.onLine, listener.onLongLine);
    child.stdout.on("data", (chunk: Buffer) => {
      listener.onActivity();
      lines.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      listener.onActivity();
      this.#stderr.push(chunk);
    });
    const closed = new Promise<void>((resolve) => {
      child.once("close", () => resolve());
    });
    const end = await new Promise<Omit<ProcessEnd, "stderr">>((resolve) => {
      const release = endWithThisProcess(() => this.#endNow());
      child.once("error", (error) => {
        release();
        if (this.pid === undefined) resolve({ exitCode: null, signal: null, spawnError: error });
      });
      child.once("exit", (exitCode, signal) => {
        release();
        resolve({ exitCode, signal });
      });
    });
    this.#gone = true;
    clearTimeout(this.#force);
    if (end.spawnError === undefined) {
      // At most a pipe full is left, which any reader can take.
      child.stdout.resume();
      await within(DRAIN_MS, closed);
      await this.#clearAway();
      await within(DRAIN_MS, closed);
      child.stdout.destroy();
      child.stderr.destroy();
    }
    lines.end();
    return { ...end, stderr: this.#stderr.toString() };
  }

  async #clearAway(): Promise<void> {
    const { pid } = this;
    if (pid === undefined || !hasSurvivors(pid)) return;
    signalSurvivors(pid, "SIGTERM");
    signalSurvivors(pid, "SIGCONT");
    const deadline = performance.now() + SURVIVOR_GRACE_MS;
    while (hasSurvivors(pid)) {
      if (performance.now() > deadline) signalSurvivors(pid, "SIGKILL");
      await sleep(POLL_MS);
      // Killed and still there: stuck in the kernel; waiting is pointless.
      if (performance.now() > deadline + SURVIVOR_GRACE_MS) return;
    }
  }

  #endNow(): void {
    const { pid } = this;
    if (pid === undefined) return;
    signalGroup(pid, "SIGKILL");
    signalSurvivors(pid, "SIGKILL");
  }
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([done, sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
