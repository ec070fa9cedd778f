/** Processes and files of one amux home that belong to nobody who is alive. */
import { readdirSync, readFileSync } from "node:fs";
import type { TestDaemon } from "../../daemon/support/test-daemon.ts";
import type { Model } from "./model.ts";

/** Those that a daemon or a runner makes and must take away again. */
const PASSING_FILE = /\.(tmp|sock|lock)(\.|$)/;
/** The daemon's own, and the process it hands browsers' terminals to. */
const DAEMON_FILE = /^amuxd\./;
const DAEMON_PART = /relay-process|history-worker/;

/** Somebody may just be leaving; who is still there after `patienceMs` stays. */
export class Remains {
  readonly #daemon: TestDaemon;
  readonly #model: Model;
  readonly #firstSeen = new Map<string, number>();

  constructor(daemon: TestDaemon, model: Model) {
    this.#daemon = daemon;
    this.#model = model;
  }

  /** `ours` are processes of the test itself. */
  look(ours: ReadonlySet<number>): string[] {
    const found = [...this.#processes(ours), ...this.#files()];
    for (const name of this.#firstSeen.keys()) if (!found.includes(name)) this.#firstSeen.delete(name);
    for (const name of found) if (!this.#firstSeen.has(name)) this.#firstSeen.set(name, performance.now());
    return found;
  }

  /** Those that were there in every look for so long. */
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
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (/^sessions\/[^/]+$/.test(path)) return !known.has(name);
      return PASSING_FILE.test(name) && !DAEMON_FILE.test(name) && !running.has(name);
    });
  }
}

/** Empty for a process that has gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
