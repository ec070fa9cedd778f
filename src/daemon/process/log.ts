/** The daemon's log: JSON lines, rotated once by size. */
import { appendFileSync, renameSync, statSync } from "node:fs";

const MAX_BYTES = 1024 * 1024;

export type Level = "info" | "warn" | "error";

export class Log {
  readonly path: string;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(level: Level, what: string, facts: Readonly<Record<string, unknown>> = {}): void {
    const line = `${JSON.stringify({ at: new Date().toISOString(), level, what, ...facts })}\n`;
    try {
      if (this.#bytes + line.length > this.#maxBytes && this.#bytes > 0) {
        renameSync(this.path, `${this.path}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.path, line, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(line);
    } catch {
      // A full disk cannot store the log line; the daemon continues.
    }
  }

  problem(what: string, error: unknown): void {
    this.write("error", what, { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
