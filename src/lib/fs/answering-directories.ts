/**
 * Which directories answer? A synchronous look at one on a dead mount would block the process for ever, so each is first looked
 * at from the top: below a directory that does not answer nothing is touched. Another process looks at a mount that is no disk of
 * this machine: a process with a blocked thread cannot end. Links are followed by hand. Files can be asked for too.
 */
import { spawn } from "node:child_process";
import { lstatSync, readlinkSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { externalEnv } from "../process/external-env.ts";
import { inputDeadline } from "../process/input-deadline.ts";
import { mountOf } from "./mounts.ts";

/** Long enough for a mount on demand or a disk that wakes. */
const PATIENCE_MS = 5000;

/** One look at many conversations; afterwards a mount may have died. */
const FRESH_MS = 10_000;

/** Each occupies a process, or one of Node's four threads for files where mounts are unknown. */
export const MAX_SILENT = process.platform === "linux" ? 32 : 4;

const MAX_PATH = 4096;

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/** More than a start asks for; then all are asked again. */
const MAX_KNOWN = 100_000;

/** What is looked for in a project's directory and above it. */
const PROJECT_FILES = [".git", ".jj", ".agent-mux/tasks.json", ".navi.yaml"];

/** A link's target, or whether it answers. */
type Answer = { target: string } | boolean;

export class AnsweringDirectories {
  readonly #onSilent: (directory: string) => void;
  readonly #look: (path: string) => Promise<unknown>;
  readonly #patienceMs: number;
  readonly #known = new Map<string, { at: number; answer: Promise<Answer> }>();
  /** Their looks are still under way. */
  readonly #silent = new Set<string>();

  /** `look` resolves to the target of a link. */
  constructor(
    onSilent: (directory: string) => void = () => undefined,
    look: (path: string) => Promise<unknown> = lookAt,
    patienceMs = PATIENCE_MS,
  ) {
    this.#onSilent = onSilent;
    this.#look = look;
    this.#patienceMs = patienceMs;
  }

  async has(path: string): Promise<boolean> {
    // No such directory can exist, but a foreign file can name it.
    if (path.length > MAX_PATH) return false;
    const whole = isAbsolute(path) ? path : resolve(path);
    const { root } = parse(whole);
    let at = root;
    let links = 0;
    if (!(await this.#answers(at))) return false;
    for (const left = partsOf(whole.slice(root.length)); left.length > 0;) {
      const name = left.shift()!;
      const next = name === ".." ? dirname(at) : join(at, name);
      const answer = await this.#answers(next);
      if (answer === false) return false;
      if (answer === true) {
        at = next;
        continue;
      }
      if (++links > MAX_LINKS) return true;
      if (isAbsolute(answer.target)) at = root;
      left.unshift(...partsOf(answer.target));
    }
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

  #answers(path: string): Promise<Answer> {
    const known = this.#known.get(path);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.answer;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const answer = this.#ask(path);
    this.#known.set(path, { at: performance.now(), answer });
    return answer;
  }

  /** An error is an answer too. */
  async #ask(path: string): Promise<Answer> {
    if (this.#silent.has(path) || this.#silent.size >= MAX_SILENT) return false;
    return new Promise((resolve) => {
      const isSilent = (): void => {
        this.#silent.add(path);
        this.#onSilent(path);
        resolve(false);
      };
      const cancel = inputDeadline(this.#patienceMs, isSilent);
      const answered = (target?: unknown): void => {
        cancel();
        this.#silent.delete(path);
        resolve(typeof target === "string" ? { target } : true);
      };
      this.#look(path).then(answered, () => answered());
    });
  }
}

/** For everything in this process that has nobody to tell. */
export const ANSWERING = new AnsweringDirectories();

function partsOf(path: string): string[] {
  return path.split(sep === "/" ? "/" : /[/\\]/).filter((name) => name !== "" && name !== ".");
}

/** `path` has no links above its last name. */
async function lookAt(path: string): Promise<string | undefined> {
  const mount = mountOf(path);
  if (mount?.isLocal === true) return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  if (mount?.point === path) await lookFromOutside(path);
  return (await lstat(path)).isSymbolicLink() ? readlink(path) : undefined;
}

/** Nobody waits for a process that is blocked: it ends when its disk answers. */
function lookFromOutside(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("ls", ["-d", "--", path], { cwd: "/", env: externalEnv(), stdio: "ignore", detached: true });
    child.once("error", reject).once("exit", () => resolve());
    child.unref();
  });
}
