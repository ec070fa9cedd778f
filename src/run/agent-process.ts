/**
 * One process of an agent: started at the head of its own session, read line by line, and always collected. Its end is
 * told once, when the process is gone, its output is read and nothing it started is left.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { LineSplitter } from "./line-splitter.ts";
import { endWithThisProcess } from "./orphan-guard.ts";
import { hasSurvivors, signalGroup, signalSurvivors } from "./process-tree.ts";
import { TailBuffer } from "./tail-buffer.ts";

/** Enough for a stack trace and what led to it. */
const STDERR_BYTES = 64 * 1024;
/** Output that is still in the pipe when the process is gone arrives at once; longer means somebody holds the pipe. */
const DRAIN_MS = 500;
/** What the agent left running gets this long to end by itself. */
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
  /** Bytes came in, on whichever stream. */
  onActivity: () => void;
}

export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** It never ran. */
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
    // An agent that ends without reading its prompt says why on its other streams.
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

  /** Stops taking output, so that the agent waits as soon as the pipe is full. */
  setReading(isReading: boolean): void {
    if (this.#gone || isReading) this.#child.stdout.resume();
    else this.#child.stdout.pause();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined && !this.#gone) signalGroup(this.pid, signal);
  }

  /** Asks the agent to end and makes it end when it does not. `ended` tells when. */
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
      // What is left is at most a pipe full: no reader can be too slow for that.
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
      // Killed and still there: stuck in the kernel, and not ours to wait for.
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
