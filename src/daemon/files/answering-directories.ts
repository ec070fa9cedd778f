/**
 * Which directories answer? A synchronous look at one on a dead mount would block the history process for ever, so each is first
 * looked at on a thread of the system, from the top: below a directory that does not answer nothing is touched. Links are
 * followed, so files can be asked for too.
 */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Long enough for a mount on demand or a disk that wakes. */
const PATIENCE_MS = 5000;

/** One look at many conversations; afterwards a mount may have died. */
const FRESH_MS = 10_000;

/** Node's threads for files. A silent directory occupies one of them. */
const THREADS = 4;

const MAX_PATH = 4096;

/** More than a start asks for; then all are asked again. */
const MAX_KNOWN = 100_000;

/** What is looked for in a project's directory and above it. */
const PROJECT_FILES = [".git", ".jj", ".agent-mux/tasks.json", ".navi.yaml", "docs/delivery/backlog.md"];

export class AnsweringDirectories {
  readonly #onSilent: (directory: string) => void;
  readonly #look: (directory: string) => Promise<unknown>;
  readonly #patienceMs: number;
  readonly #known = new Map<string, { at: number; answers: Promise<boolean> }>();
  /** Their looks are still under way. */
  readonly #silent = new Set<string>();

  constructor(
    onSilent: (directory: string) => void,
    look: (directory: string) => Promise<unknown> = (directory) => stat(directory),
    patienceMs = PATIENCE_MS,
  ) {
    this.#onSilent = onSilent;
    this.#look = look;
    this.#patienceMs = patienceMs;
  }

  async has(directory: string): Promise<boolean> {
    // No such directory can exist, but a foreign file can name it.
    if (directory.length > MAX_PATH) return false;
    const path = [directory];
    while (dirname(path[0]!) !== path[0]) path.unshift(dirname(path[0]!));
    for (const each of path) if (!(await this.#answers(each))) return false;
    return true;
  }

  /** The same for a project: a file of it may be a link to another disk. */
  async hasProject(directory: string): Promise<boolean> {
    if (!(await this.has(directory))) return false;
    for (let at = directory; ; at = dirname(at)) {
      for (const name of PROJECT_FILES) if (!(await this.has(join(at, name)))) return false;
      if (at === dirname(at)) return true;
    }
  }

  #answers(directory: string): Promise<boolean> {
    const known = this.#known.get(directory);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.answers;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const answers = this.#ask(directory);
    this.#known.set(directory, { at: performance.now(), answers });
    return answers;
  }

  /** An error is an answer too. */
  async #ask(directory: string): Promise<boolean> {
    if (this.#silent.has(directory) || this.#silent.size >= THREADS) return false;
    return new Promise((resolve) => {
      let late: NodeJS.Immediate | undefined;
      const isSilent = (): void => {
        this.#silent.add(directory);
        this.#onSilent(directory);
        resolve(false);
      };
      // After a long listing the answer may be there, but not yet read.
      const timer = setTimeout(() => (late = setImmediate(isSilent)), this.#patienceMs);
      const answered = (): void => {
        clearTimeout(timer);
        clearImmediate(late);
        this.#silent.delete(directory);
        resolve(true);
      };
      this.#look(directory).then(answered, answered);
    });
  }
}
