/** Caches directories' repositories: thousands are looked up at startup. */
import { workspaceOf, type Workspace } from "../../client/workspace.ts";

/** New repositories and remotes may appear a little later. */
const FORGET_AFTER_MS = 60_000;

export class Workspaces {
  readonly #known = new Map<string, { at: number; workspace: Workspace }>();

  of(cwd: string): Workspace {
    const known = this.#known.get(cwd);
    if (known !== undefined && performance.now() - known.at < FORGET_AFTER_MS) return known.workspace;
    const workspace = workspaceOf(cwd);
    this.#known.set(cwd, { at: performance.now(), workspace });
    return workspace;
  }
}
