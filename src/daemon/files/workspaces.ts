/** Caches directories' repositories: thousands are looked up at startup. */
import { workspaceOf, type Workspace } from "../../client/workspace.ts";
import type { AnsweringDirectories } from "./answering-directories.ts";

/** New repositories and remotes may appear a little later. */
const FORGET_AFTER_MS = 60_000;

export class Workspaces {
  readonly #answering: AnsweringDirectories;
  readonly #known = new Map<string, { at: number; workspace: Workspace }>();

  constructor(answering: AnsweringDirectories) {
    this.#answering = answering;
  }

  /** Empty if the directory does not answer. */
  async of(cwd: string): Promise<Workspace> {
    if (!(await this.#answering.has(cwd))) return {};
    const known = this.#known.get(cwd);
    if (known !== undefined && performance.now() - known.at < FORGET_AFTER_MS) return known.workspace;
    const workspace = await this.#find(cwd);
    this.#known.set(cwd, { at: performance.now(), workspace });
    return workspace;
  }

  /** Again and again, until every path on the way is known to answer or not. */
  async #find(cwd: string): Promise<Workspace> {
    const answers = new Map<string, boolean>();
    for (;;) {
      let unknown: string | undefined;
      const workspace = workspaceOf(cwd, (path) => {
        if (!answers.has(path)) unknown ??= path;
        return answers.get(path) ?? false;
      });
      if (unknown === undefined) return workspace;
      answers.set(unknown, await this.#answering.has(unknown));
    }
  }
}
