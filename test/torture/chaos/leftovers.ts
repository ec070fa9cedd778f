/** Processes and files of one amux home without a living owner. */
import { readdirSync, readFileSync } from "node:fs";
import type { TestDaemon } from "../../daemon/support/test-daemon.ts";
import type { Model } from "./model.ts";

/** Files that a daemon or runner must remove again. */
const PASSING_FILE = /\.(tmp|sock|lock)(\.|$)/;
/** Files of the daemon and of its terminal process. */
const DAEMON_FILE = /^amuxd\./;
/** Dismissed sessions can be brought back for a minute. */
const DISMISSED = /^sessions\/\.dismissed(\/|$)/;
const DAEMON_PART = /relay-process|history-worker/;

/** Processes may be exiting; only those still there after `patienceMs` count. */
export class Remains {
  readonly #daemon: TestDaemon;
  readonly #model: Model;
  readonly #firstSeen = new Map<string, number>();

  constructor(daemon: TestDaemon, model: Model) {
    this.#daemon = daemon;
    this.#model = model;
  }

  /** `ours` are processes of the test. */
  look(ours: ReadonlySet<number>): string[] {
    const found = [...this.#processes(ours), ...this.#files()];
    for (const name of this.#firstSeen.keys()) if (!found.includes(name)) this.#firstSeen.delete(name);
    for (const name of found) if (!this.#firstSeen.has(name)) this.#firstSeen.set(name, performance.now());
    return found;
  }

  /** Those seen in every look for this long. */
  olderThan(ms: number): string[] {
    return [...this.#firstSeen].filter(([, since]) => performance.now() - since > ms).map(([name]) => name);
  }

  #processes(ours: ReadonlySet<number>): string[] {
    const running = this.#model.of("running");
    const known = new Set([...ours, this.#daemon.pid, ...running.flatMap(({ pid, runnerPid }) => [pid, runnerPid])]);
    const { root } = this.#daemon;
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name) || known.has(Number(name))) return [];
      const command = read(`/proc/${name}/cmdline`).replaceAll("\0", " ");
      if (!command.includes(root) && !read(`/proc/${name}/environ`).includes(root)) return [];
      return DAEMON_PART.test(command) ? [] : [`process ${name}: ${command.slice(0, 200)}`];
    });
  }

  #files(): string[] {
    const running = new Set(this.#model.of("running").flatMap(({ id }) => [`${id}.sock`, `${id}.lock`]));
    const known = new Set(this.#model.sessions.filter(({ fate }) => fate !== "dismissed").map(({ id }) => id));
    return readdirSync(this.#daemon.home, { recursive: true, encoding: "utf8" }).filter((path) => {
      if (DISMISSED.test(path)) return false;
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (/^sessions\/[^/]+$/.test(path)) return !known.has(name);
      return PASSING_FILE.test(name) && !DAEMON_FILE.test(name) && !running.has(name);
    });
  }
}

/** Empty for a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
