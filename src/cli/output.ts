/** Where a command's words go: standard output (through a pager when long and on a terminal), progress and errors beside it. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { jsonText } from "../lib/json.ts";
import { printableJson } from "../lib/text.ts";

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
  #progressShown = false;
  #progressAt = 0;
  /** Not `performance.now()`, which loads half a dozen modules at the start of every command. */
  readonly #startedAt = uptimeMs();

  constructor(json: boolean, stdout = process.stdout, stderr = process.stderr, vars = process.env) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#vars = vars;
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY;
  }

  /** Unlimited where nobody looks at columns. */
  get width(): number {
    return this.isTerminal ? this.#stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  style(style: Style, text: string): string {
    const [on, off] = CODES[style];
    return this.#colours() ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }

  #colours(): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.#vars;
    if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
    if (FORCE_COLOR !== undefined && FORCE_COLOR !== "0") return true;
    return this.isTerminal && TERM !== "dumb";
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    this.clearProgress();
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Writes pieces as they come, at the reader's pace. */
  async write(pieces: Iterable<string> | string): Promise<void> {
    this.clearProgress();
    await writeTo(this.#stdout, typeof pieces === "string" ? [pieces] : pieces);
  }

  async writeJson(value: unknown): Promise<void> {
    await this.write(`${printableJson(jsonText(value, 2))}\n`);
  }

  /** As `write`, but on a terminal through the user's pager when it does not fit on the screen. */
  async page(pieces: Iterable<string>): Promise<void> {
    const pager =
      this.isTerminal && this.#vars["AMUX_PAGER"] !== ""
        ? (this.#vars["AMUX_PAGER"] ?? this.#vars["PAGER"] ?? "less")
        : "";
    const [program, ...args] = pager.split(/\s+/).filter((word) => word !== "");
    if (program === undefined || program === "cat") return this.write(pieces);
    this.clearProgress();
    // Loaded here: most commands page nothing.
    const { spawn } = await import("node:child_process");
    // F: quit when it fits, R: keep colours, X: leave the text on the screen.
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
    await writeTo(child.stdin, pieces);
    child.stdin.end();
    await closed;
  }

  /** One line on standard error that replaces itself; nothing during the first moment, nothing when nobody looks. */
  progress(text: string): void {
    const now = uptimeMs();
    if (!this.#stderr.isTTY || this.json || now - this.#startedAt < 700 || now - this.#progressAt < 80) return;
    this.#progressAt = now;
    this.#progressShown = true;
    this.#stderr.write(`\r\u001b[2K${text.slice(0, (this.#stderr.columns || 80) - 1)}`);
  }

  clearProgress(): void {
    if (this.#progressShown) this.#stderr.write("\r\u001b[2K");
    this.#progressShown = false;
  }

  /** A line beside the result: hints, warnings. */
  note(text: string): void {
    this.clearProgress();
    this.#stderr.write(`${text}\n`);
  }
}

const FLUSH_CHARACTERS = 64 * 1024;

async function writeTo(stream: Writable, pieces: Iterable<string>): Promise<void> {
  let gone = false;
  // `amux … | head` closes the pipe: that is the reader's way of saying enough.
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
    gone = true;
  };
  stream.on("error", onError);
  try {
    let buffer = "";
    for (const piece of pieces) {
      buffer += piece;
      if (buffer.length < FLUSH_CHARACTERS) continue;
      if (!(await flush(stream, buffer)) || gone) return;
      buffer = "";
    }
    if (!gone) await flush(stream, buffer);
  } finally {
    stream.off("error", onError);
  }
}

function flush(stream: Writable, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve(true);
      else if ((error as NodeJS.ErrnoException).code === "EPIPE") resolve(false);
      else reject(error);
    });
  });
}

function uptimeMs(): number {
  return process.uptime() * 1000;
}
