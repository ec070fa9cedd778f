/**
 * Finds sessions from names alone: `<id>.jsonl` and, since 2.1, a directory `<id>/` of its sub-agents. Older versions put
 * sub-agents beside the sessions; only their records name the parent.
 */
import type { Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entriesOf, fileStat, filesBelow, isDirectoryAt, noteOpened, type FileStat } from "../../lib/fs/directory.ts";
import { parseRecord, readHeadAndTail } from "../../lib/json/jsonl.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { lastChange } from "../shared/source-list.ts";
import { sessionOf } from "./format.ts";
import { encodeCwd, projectsDirs } from "./locations.ts";

/** Files beside a session's own. */
export interface ClaudeLocator {
  /** Its sub-agents' transcripts. */
  readonly subagents: string[];
  /** The title the user gave it. */
  readonly titleSidecar?: string | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const OLD_SUBAGENT = /^agent-[\w-]+\.jsonl$/;

function isTranscript(name: string): boolean {
  return name.startsWith("agent-") && name.endsWith(".jsonl");
}

export function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const sessions = new Map<string, SessionSource>();
  const wanted = cwd === undefined ? undefined : encodeCwd(cwd);
  for (const projects of projectsDirs(env)) {
    for (const project of entriesOf(projects, notes.onProblem)) {
      // A resumed session stays in its first directory, so other directories of the same project tree count too.
      if (wanted !== undefined && !project.name.startsWith(wanted)) continue;
      if (isDirectory(projects, project)) listProject(`${projects}/${project.name}`, sessions, notes);
    }
  }
  return [...sessions.values()];
}

function isDirectory(parent: string, entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && isDirectoryAt(join(parent, entry.name)));
}

function listProject(directory: string, sessions: Map<string, SessionSource>, notes: ReadNotes): void {
  const transcripts: FileStat[] = [];
  const oldSubagents: FileStat[] = [];
  const folders = new Set<string>();
  for (const entry of entriesOf(directory, notes.onProblem)) {
    const { name } = entry;
    if (name.endsWith(".jsonl")) {
      const stat = fileStat(`${directory}/${name}`, notes.onProblem);
      if (stat) (OLD_SUBAGENT.test(name) ? oldSubagents : transcripts).push(stat);
    } else if (entry.isDirectory() && UUID.test(name)) folders.add(name);
  }
  const owned = byOwner(oldSubagents, notes);
  for (const stat of transcripts) {
    const sessionId = sessionIdOf(stat.path);
    const known = sessions.get(sessionId);
    if (known) notes.skip(stat.path, `another copy of session ${sessionId}, read from ${known.path}`);
    else sessions.set(sessionId, sourceOf(sessionId, stat, directory, folders.has(sessionId), owned, notes));
  }
  const lost = (files: readonly FileStat[]): void => {
    if (files[0]) notes.skip(files[0].path, "sub-agent transcript of a session whose own file is gone");
  };
  for (const id of folders) if (!sessions.has(id)) lost(subagentsBelow(`${directory}/${id}`, notes));
  for (const [owner, files] of owned) if (!sessions.has(owner)) lost(files);
}

function sourceOf(
  sessionId: string,
  stat: FileStat,
  directory: string,
  hasFolder: boolean,
  owned: ReadonlyMap<string, FileStat[]>,
  notes: ReadNotes,
): SessionSource {
  const folder = `${directory}/${sessionId}`;
  const subagents = [...(hasFolder ? subagentsBelow(folder, notes) : []), ...(owned.get(sessionId) ?? [])];
  const title = hasFolder ? fileStat(`${folder}/custom-title.json`) : undefined;
  const files = [stat, ...subagents, ...(title ? [title] : [])];
  const locator: ClaudeLocator = { subagents: subagents.map(({ path }) => path), titleSidecar: title?.path };
  return { sessionId, path: stat.path, files, updatedMs: lastChange(files), locator };
}

function subagentsBelow(folder: string, notes: ReadNotes): FileStat[] {
  const files = filesBelow(`${folder}/subagents`, isTranscript, notes.onProblem);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Long tool results, sub-agents' descriptions, backups of edited files, and the to-do list. */
export function belongings({ path, sessionId }: SessionSource): string[] {
  const project = dirname(path);
  const config = dirname(dirname(project));
  return [
    join(project, sessionId),
    join(config, "file-history", sessionId),
    join(config, "todos", `${sessionId}-agent-${sessionId}.json`),
  ];
}

/** The parents of the sub-agents beside the sessions. */
function byOwner(files: readonly FileStat[], notes: ReadNotes): Map<string, FileStat[]> {
  const owned = new Map<string, FileStat[]>();
  for (const file of files) {
    const owner = sessionIdInside(file.path);
    if (owner === undefined) notes.skip(file.path, "sub-agent transcript that names no session");
    else owned.set(owner, [...(owned.get(owner) ?? []), file]);
  }
  return owned;
}

/** The file's name. For a renamed copy, or the documented short id, the records decide. */
function sessionIdOf(path: string): string {
  const name = basename(path, ".jsonl");
  const inside = UUID.test(name) ? undefined : sessionIdInside(path);
  return inside !== undefined && UUID.test(inside) ? inside : name;
}

/** The file with the title the user gave a session, if there is one. */
export function titleSidecarOf(source: SessionSource): string | undefined {
  return (source.locator as ClaudeLocator | undefined)?.titleSidecar;
}

/** Always enough for the first chain record of a sub-agent's transcript or a renamed copy; usually less is enough. */
const PEEK_BYTES = 16 * 1024;

function sessionIdInside(path: string): string | undefined {
  noteOpened(path);
  try {
    for (const line of readHeadAndTail(path, PEEK_BYTES, 0).head) {
      const record = parseRecord(line);
      const inside = record && sessionOf(record);
      if (inside !== undefined) return inside;
    }
  } catch {
    // Unreadable now; the caller treats it as a file without information.
  }
  return undefined;
}
