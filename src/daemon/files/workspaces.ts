/** Caches directories' repositories: thousands are looked up at startup. */
import { answeringWorkspace, type Workspace } from "../../client/workspace.ts";
import type { AnsweringDirectories } from "../../lib/fs/answering-directories.ts";

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
    const workspace = await answeringWorkspace(cwd, this.#answering);
    this.#known.set(cwd, { at: performance.now(), workspace });
    return workspace;
  }
}
