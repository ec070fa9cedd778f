/** Tasks of projects: runs a few providers at a time and caches every answer, including failures. */
import { isAbsolute } from "node:path";
import { shellWord } from "../../lib/text/shell-word.ts";
import { amuxHome, resolveHome, type PathEnv } from "../../lib/fs/paths.ts";
import { githubIssues } from "./github-issues.ts";
import { markdownTasks } from "./markdown-tasks.ts";
import { runProvider } from "./run-provider.ts";
import type { TaskConfig } from "./task-config.ts";
import { TaskError } from "./task-error.ts";
import type { TaskList } from "./task-list.ts";
import { programPath, TrustFile, type ProjectPrograms } from "../trust.ts";

/** Providers start programs and query services; more at once would be noticeable. */
const MAX_AT_ONCE = 4;

type BuiltIn = (projectDirectory: string, args: Readonly<Record<string, string>>) => TaskList | Promise<TaskList>;

const BUILT_IN: Readonly<Record<string, BuiltIn>> = { "markdown-tasks": markdownTasks, "github-issues": githubIssues };

/**
 * The project's own programs that would run for its tasks; undefined if the provider is built in or named by an absolute path in
 * the user's settings.
 */
export function programsOf(config: TaskConfig, env: PathEnv): ProjectPrograms | undefined {
  const { provider, isProjects, projectDirectory, projectFile } = config;
  const isWhole = isAbsolute(provider) || provider.startsWith("~");
  if (Object.hasOwn(BUILT_IN, provider) || (!isProjects && isWhole)) return undefined;
  const program = [provider.startsWith("~") ? resolveHome(env, provider) : programPath(projectDirectory, provider)];
  const files = [...(isProjects && projectFile !== undefined ? [projectFile] : []), ...program];
  return { directory: projectDirectory, use: "tasks", runs: [provider], files };
}

export type TaskAnswer = { list: TaskList } | { error: TaskError };

interface Remembered {
  answer: Promise<TaskAnswer>;
  untilMs: number;
}

export class TaskService {
  readonly #env: PathEnv;
  readonly #trust: TrustFile;
  readonly #timeoutMs: number | undefined;
  readonly #known = new Map<string, Remembered>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(env: PathEnv, options: { timeoutMs?: number } = {}) {
    this.#env = env;
    this.#trust = new TrustFile(amuxHome(env));
    this.#timeoutMs = options.timeoutMs;
  }

  /** A project's program runs only if the user trusts it; otherwise the answer says so, and is not cached. */
  async tasks(config: TaskConfig): Promise<TaskAnswer> {
    const programs = programsOf(config, this.#env);
    const verdict = programs === undefined ? "trusted" : this.#trust.verdict(programs);
    if (verdict === "trusted") return this.#remembered(config);
    const why = verdict === "unknown" ? "" : " It has changed since you trusted it.";
    const message = `The tasks of ${config.projectDirectory} come from a program of the project, ${config.provider}.${why} See what it does, then: amux trust ${shellWord(config.projectDirectory)}`;
    return { error: new TaskError("untrusted", message) };
  }

  #remembered(config: TaskConfig): Promise<TaskAnswer> {
    const key = JSON.stringify([config.projectDirectory, config.provider, config.args]);
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known.answer;
    const answer = this.#inTurn(() => this.#ask(config));
    this.#known.set(key, { answer, untilMs: Number.POSITIVE_INFINITY });
    void answer.then(() => this.#known.set(key, { answer, untilMs: performance.now() + config.intervalMs }));
    return answer;
  }

  async #ask(config: TaskConfig): Promise<TaskAnswer> {
    try {
      return { list: await this.#listFrom(config) };
    } catch (error) {
      if (error instanceof TaskError) return { error };
      throw error;
    }
  }

  async #listFrom({ provider, projectDirectory, args }: TaskConfig): Promise<TaskList> {
    if (Object.hasOwn(BUILT_IN, provider)) return BUILT_IN[provider]!(projectDirectory, args);
    const path = provider.startsWith("~") ? resolveHome(this.#env, provider) : programPath(projectDirectory, provider);
    return runProvider({
      path,
      cwd: projectDirectory,
      args,
      ...(this.#timeoutMs === undefined ? {} : { timeoutMs: this.#timeoutMs }),
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_AT_ONCE) this.#running++;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      return await work();
    } finally {
      // The longest waiting caller takes over this slot.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
