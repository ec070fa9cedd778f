/** Finds the sessions: a folder each, below a folder per working directory. */
import { basename, join } from "node:path";
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

export function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const wanted = cwd === undefined ? undefined : projectFolder(cwd);
  const projects = foldersIn(sessionsDir(env), notes.onProblem).filter(
    (folder) => wanted === undefined || basename(folder) === wanted,
  );
  const sources = projects.flatMap((project) => sessionsOf(project, notes));
  return firstOfEach(sources);
}

function sessionsOf(project: string, notes: ReadNotes): SessionSource[] {
  const folders = foldersIn(project, notes.onProblem);
  const children = new Map<string, string[]>();
  const parents = new Map<string, string>();
  for (const folder of folders) {
    const ids = entriesOf(join(folder, SUBAGENTS_FOLDER), notes.onProblem).map(({ name }) => name);
    if (ids.length > 0) children.set(folder, ids);
    for (const id of ids) parents.set(id, basename(folder));
  }
  return folders.flatMap((folder) => {
    const updates = fileStat(join(folder, UPDATES_FILE), notes.onProblem);
    if (updates === undefined) return [];
    const subagents = Object.fromEntries(
      (children.get(folder) ?? []).map((id) => [id, join(project, id, UPDATES_FILE)]),
    );
    const others = [join(folder, SUMMARY_FILE), ...Object.values(subagents)];
    const files = [updates, ...others.flatMap((path) => fileStat(path) ?? [])];
    const sessionId = basename(folder);
    const locator: GrokLocator = {
      folder,
      subagents,
      ...optional("cwd", directoryIn(basename(project))),
      ...optional("parentId", parents.get(sessionId)),
    };
    return [{ sessionId, path: updates.path, files, updatedMs: lastChange(files.slice(0, 2)), locator }];
  });
}
