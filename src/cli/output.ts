/** Where a command's words go: standard output (through a pager when long and on a terminal), progress and errors beside it. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { AgentMuxError } from "../core/errors.ts";
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
    await listening(this.#stdout, async () => void (await flush(this.#stdout, bytes)));
  }

  /** Writes pieces as they come, at the reader's pace. */
  async write(pieces: Iterable<string> | string | Buffer): Promise<void> {
    this.clearProgress();
    if (Buffer.isBuffer(pieces)) return listening(this.#stdout, async () => void (await flush(this.#stdout, pieces)));
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

function writeTo(stream: Writable, pieces: Iterable<string>): Promise<void> {
  return listening(stream, async () => {
    let buffer = "";
    for (const piece of pieces) {
      buffer += piece;
      if (buffer.length < FLUSH_CHARACTERS) continue;
      if (!(await flush(stream, buffer))) return;
      buffer = "";
    }
    await flush(stream, buffer);
  });
}

/** What goes wrong is told to whoever wrote; a stream also says it aloud, and without a listener that ends the process. */
async function listening(stream: Writable, act: () => Promise<void>): Promise<void> {
  const onError = (): void => undefined;
  stream.on("error", onError);
  try {
    await act();
  } finally {
    stream.off("error", onError);
  }
}

/** False when nobody reads any more. `amux … | head` closes the pipe: that is the reader's way of saying enough. */
function flush(stream: Writable, chunk: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (!error) resolve(true);
      else if ((error as NodeJS.ErrnoException).code === "EPIPE") resolve(false);
      else reject(unwritable(error));
    });
  });
}

export function unwritable(cause: Error): AgentMuxError {
  return new AgentMuxError("INTERNAL", `The output cannot be written: ${cause.message}.`, { cause });
}

function uptimeMs(): number {
  return process.uptime() * 1000;
}
