/** A command's output: standard output (through a pager if long), progress and errors on standard error. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { AgentMuxError } from "../core/errors.ts";
import { uptimeMs } from "../lib/process/clock.ts";
import { jsonText } from "../lib/json/json.ts";
import { visibleControls } from "../core/visible-text.ts";
import { printableJson } from "../lib/text/text.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

const CODES: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export class Output {
  readonly json: boolean;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  readonly #vars: NodeJS.ProcessEnv;
  #hasColours: boolean | undefined;
  #progressShown = false;
  #progressAt = 0;
  readonly #startedAt = uptimeMs();
  /** Ctrl-C removes the line, then ends the process as always. */
  readonly #onInterrupt = (): void => {
    this.clearProgress();
    if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
  };

  constructor(
    json: boolean,
    stdout: NodeJS.WriteStream = process.stdout,
    stderr: NodeJS.WriteStream = process.stderr,
    vars = process.env,
  ) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#vars = vars;
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY;
  }

  /** Unlimited without a terminal. */
  get width(): number {
    return this.isTerminal ? this.#stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  style(style: Style, text: string): string {
    const [on, off] = CODES[style];
    return this.isStyled ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }

  /** Cached: each access to a process variable is a library call. */
  get isStyled(): boolean {
    this.#hasColours ??= this.#findColours();
    return this.#hasColours;
  }

  #findColours(): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.#vars;
    if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
    if (FORCE_COLOR !== undefined && FORCE_COLOR !== "0") return true;
    return this.isTerminal && TERM !== "dumb";
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    this.clearProgress();
    await this.#flush(bytes);
  }

  /** Writes chunks as they come, at the reader's pace. */
  async write(pieces: Iterable<string> | string): Promise<void> {
    this.clearProgress();
    if (typeof pieces === "string") await this.#flush(pieces);
    else await eachChunk(pieces, async (chunk) => this.#flush(chunk));
  }

  /** False if nobody reads any more. */
  async #flush(chunk: string | Uint8Array): Promise<boolean> {
    return listening(this.#stdout, async () => flush(this.#stdout, chunk));
  }

  async writeJson(value: unknown): Promise<void> {
    await this.write(Array.isArray(value) ? jsonPieces(value) : `${printableJson(jsonText(value, 2))}\n`);
  }

  /** Like `write`, but through the user's pager if it does not fit on the screen. */
  async page(pieces: Iterable<string>): Promise<void> {
    const { AMUX_PAGER, PAGER, TERM } = this.#vars;
    // Less is useless on a terminal that cannot move up a line.
    const usual = TERM === "dumb" ? "" : (PAGER ?? "less");
    const pager = this.isTerminal ? (AMUX_PAGER ?? usual) : "";
    const [program, ...args] = pager.split(/\s+/).filter((word) => word !== "");
    if (program === undefined || program === "cat") return this.write(pieces);
    this.clearProgress();
    // Loaded here: most commands page nothing.
    const { spawn } = await import("node:child_process");
    // F: quit if it fits, R: keep colours, X: keep the text on the screen.
    const child = spawn(program, args, {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...this.#vars, LESS: this.#vars["LESS"] ?? "FRX" },
    });
    const [failed] = (await Promise.race([
      once(child, "spawn").then(() => [false]),
      once(child, "error").then(() => [true]),
    ])) as [boolean];
    if (failed) return this.write(pieces);
    const closed = once(child, "close");
    await listening(child.stdin, async () => eachChunk(pieces, async (chunk) => flush(child.stdin, chunk)));
    child.stdin.end();
    await closed;
  }

  /** A status line on standard error that replaces itself; nothing at first, or without a terminal. */
  progress(text: string): void {
    const now = uptimeMs();
    if (this.json || now - this.#startedAt < 700 || now - this.#progressAt < 80 || !this.#stderr.isTTY) return;
    // It cannot erase a line.
    if (this.#vars["TERM"] === "dumb") return;
    this.#progressAt = now;
    if (!this.#progressShown) process.on("SIGINT", this.#onInterrupt);
    this.#progressShown = true;
    this.#stderr.write(`\r\u001b[2K${text.slice(0, (this.#stderr.columns || 80) - 1)}`);
  }

  clearProgress(): void {
    if (!this.#progressShown) return;
    this.#stderr.write("\r\u001b[2K");
    process.off("SIGINT", this.#onInterrupt);
    this.#progressShown = false;
  }

  /** A line beside the result: hints, warnings. */
  note(text: string, style?: Style): void {
    this.clearProgress();
    const shown = visibleControls(text);
    this.#stderr.write(`${style === undefined ? shown : this.style(style, shown)}\n`);
  }
}

const FLUSH_CHARACTERS = 64 * 1024;

/** Calls `take` with chunks worth writing, until it returns false. */
async function eachChunk(pieces: Iterable<string>, take: (chunk: string) => Promise<boolean>): Promise<void> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < FLUSH_CHARACTERS) continue;
    if (!(await take(chunk))) return;
    chunk = "";
  }
  await take(chunk);
}

/** The writer gets the error; without a listener the stream's error event would end the process. */
async function listening<T>(stream: Writable, act: () => Promise<T>): Promise<T> {
  const onError = (): void => undefined;
  stream.on("error", onError);
  try {
    return await act();
  } finally {
    stream.off("error", onError);
  }
}

function flush(stream: Writable, chunk: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      try {
        resolve(error ? isTaken(error) : true);
      } catch (reason) {
        reject(reason as Error);
      }
    });
  });
}

/** `amux … | head` closes the pipe: the reader has enough. */
function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code === "EPIPE") return false;
  throw error instanceof AgentMuxError ? error : unwritable(error);
}

export function unwritable(cause: Error): AgentMuxError {
  return new AgentMuxError("INTERNAL", `The output cannot be written: ${cause.message}.`, { cause });
}

/** Elements in one piece. */
const SOME = 1000;

/** The same text as of the whole, which may not fit into one string. */
export function* jsonPieces(items: readonly unknown[]): Generator<string> {
  for (let at = 0; at < items.length; at += SOME) {
    const text = printableJson(jsonText(items.slice(at, at + SOME), 2));
    yield `${at === 0 ? "[" : ","}${text.slice(1, -2)}`;
  }
  yield items.length === 0 ? "[]\n" : "\n]\n";
}
