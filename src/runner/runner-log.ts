/** The runner's error log, a small file beside the session's record; the terminals continue in any case. */
import { appendFileSync, statSync, truncateSync } from "node:fs";
import { inspect } from "node:util";

const MAX_LOG_BYTES = 65_536;

export class RunnerLog {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  write(what: string, error: unknown): void {
    const detail = error instanceof Error ? (error.stack ?? error.message) : inspect(error);
    try {
      if ((statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(this.path);
      appendFileSync(this.path, `${new Date().toISOString()} ${what} ${detail}\n`, { mode: 0o600 });
    } catch {
      // A full disk cannot store the log line.
    }
  }
}
