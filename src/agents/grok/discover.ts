/** Finds the sessions: a folder each, below a folder per working directory. */
import { basename, dirname, join } from "node:path";
import { entriesOf, fileStat, foldersIn } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { firstOfEach, lastChange } from "../shared/source-list.ts";
import { SUBAGENTS_FOLDER, SUMMARY_FILE, UPDATES_FILE } from "./format.ts";
import { directoryIn, projectFolder, sessionsDir } from "./locations.ts";

export interface GrokLocator {
  folder: string;
  cwd?: string;
  /** The session whose sub-agent wrote this one. */
  parentId?: string;
  /** Update files of its own sub-agents by their session: the parent's bill includes theirs. */
  subagents: Record<string, string>;
}

/** All folders are looked at for any directory: a sub-agent may work in another one than its parent, such as a worktree. */
export function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const wanted = cwd === undefined ? undefined : projectFolder(cwd);
  const projects = foldersIn(sessionsDir(env), notes.onProblem);
  const folders = projects.flatMap((project) => foldersIn(project, notes.onProblem));
  const byId = new Map(folders.toReversed().map((folder) => [basename(folder), folder]));
  const children = new Map<string, string[]>();
  const parents = new Map<string, string>();
  for (const folder of folders) {
    const ids = entriesOf(join(folder, SUBAGENTS_FOLDER), notes.onProblem).map(({ name }) => name);
    children.set(
      folder,
      ids.filter((id) => byId.has(id)),
    );
    for (const id of ids) parents.set(id, basename(folder));
  }
  const listed = folders.filter((folder) => wanted === undefined || basename(dirname(folder)) === wanted);
  const sources = listed.flatMap((folder) => {
    const subagents = Object.fromEntries(
      children.get(folder)!.map((id) => [id, join(byId.get(id)!, UPDATES_FILE)] as const),
    );
    return sourceOf(folder, subagents, parents.get(basename(folder)), notes) ?? [];
  });
  return firstOfEach(sources);
}

function sourceOf(
  folder: string,
  subagents: Record<string, string>,
  parentId: string | undefined,
  notes: ReadNotes,
): SessionSource | undefined {
  const updates = fileStat(join(folder, UPDATES_FILE), notes.onProblem);
  if (updates === undefined) return undefined;
  const others = [join(folder, SUMMARY_FILE), ...Object.values(subagents)];
  const files = [updates, ...others.flatMap((path) => fileStat(path) ?? [])];
  const locator: GrokLocator = {
    folder,
    subagents,
    ...optional("cwd", directoryIn(basename(dirname(folder)))),
    ...optional("parentId", parentId),
  };
  return { sessionId: basename(folder), path: updates.path, files, updatedMs: lastChange(files.slice(0, 2)), locator };
}
