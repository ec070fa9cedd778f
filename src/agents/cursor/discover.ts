/** Lists every conversation once, from names and stats: CLI chats, the IDE's, transcripts, documented locations. */
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf, filesBelow, filesIn, fileStat, type FileStat, foldersIn } from "../../lib/fs/directory.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { type ReadOnlyDatabase, withDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasDocumentedTables, listDocumentedSessions } from "../shared/documented-tables.ts";
import {
  databaseSources,
  filesOfDatabase,
  fileSource,
  firstOfEach,
  lastChange,
  type ListedSession,
} from "../shared/source-list.ts";
import type { ChatLocation } from "./chat.ts";
import { conversationsIn, listIdeSessions } from "./format-ide.ts";
import { folderOf, metaFields } from "./format.ts";
import { acpDir, chatsDir, documentedDir, ideDatabase, projectsDir, slugOf, workspacesDir } from "./locations.ts";
import type { TranscriptLocation } from "./transcripts.ts";

export type Transcript = TranscriptLocation & { format: "lines" | "text" };

/** How to open a session. The transcript replaces a store that cannot be read. */
export type CursorLocator =
  | ({ kind: "chat"; fallback?: Transcript } & ChatLocation)
  | ({ kind: "transcript" } & Transcript)
  | { kind: "ide" | "documented-rows"; head: SessionHead }
  | { kind: "documented-lines" };

/** Only a chat with a store of the CLI can be resumed. */
export function isCliChat(source: SessionSource): boolean {
  const isAcp = basename(dirname(dirname(source.path))) === "acp-sessions";
  return (source.locator as CursorLocator | undefined)?.kind === "chat" && !isAcp;
}

export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const transcripts = findTranscripts(env, notes);
  const stores = findStores(env, notes);
  const cwds = transcripts.size === 0 ? new Map<string, string>() : cwdsBySlug(env, stores);
  return firstOfEach([
    ...stores.map((store) => chatSource(store, transcripts.get(store.id), cwds)),
    ...ideSources(env, notes),
    ...[...transcripts.values()].map((found) => transcriptSource(found, cwds)),
    ...documentedSources(env, notes),
  ]);
}

interface FoundStore {
  id: string;
  /** The store and its write-ahead log. */
  files: FileStat[];
  metaJson: FileStat | undefined;
}

/** Chat directories with a store; one with only `meta.json` was never used. */
function findStores(env: AgentEnv, notes: ReadNotes): FoundStore[] {
  const inside = (parent: string): string[] => foldersIn(parent, notes.onProblem);
  const found: FoundStore[] = [];
  for (const directory of [...inside(chatsDir(env)).flatMap(inside), ...inside(acpDir(env))]) {
    const store = fileStat(join(directory, "store.db"), notes.onProblem);
    if (store === undefined) continue;
    const files = filesOfDatabase(store);
    if (files.every(({ size }) => size === 0)) continue;
    found.push({ id: basename(directory), files, metaJson: fileStat(join(directory, "meta.json")) });
  }
  // A chat moved to another directory is in both; the last used one counts.
  return found.sort((a, b) => lastChange(b.files) - lastChange(a.files));
}

function chatSource(
  found: FoundStore,
  transcript: FoundTranscript | undefined,
  cwds: ReadonlyMap<string, string>,
): SessionSource {
  const { id, metaJson } = found;
  const own = metaJson === undefined ? found.files : [...found.files, metaJson];
  const files = transcript === undefined ? own : [...own, transcript.file];
  const { path } = files[0]!;
  const locator: CursorLocator = {
    kind: "chat",
    store: path,
    ...optional("metaJson", metaJson?.path),
    ...optional("parentId", transcript?.parentId),
    ...optional("fallback", transcript && placeOf(transcript, cwds)),
  };
  const elsewhere = optional("elsewhere", locator.fallback?.cwd);
  return { sessionId: id, path, files, updatedMs: lastChange(own), locator, ...elsewhere };
}

function transcriptSource(found: FoundTranscript, cwds: ReadonlyMap<string, string>): SessionSource {
  const { id, file } = found;
  const place = placeOf(found, cwds);
  const locator: CursorLocator = { kind: "transcript", ...place };
  const elsewhere = optional("elsewhere", place.cwd);
  return { ...fileSource(id, file, locator), ...elsewhere };
}

function placeOf({ file, format, slug, parentId }: FoundTranscript, cwds: ReadonlyMap<string, string>): Transcript {
  return {
    format,
    transcript: file.path,
    ...optional("cwd", cwds.get(slugOf(slug))),
    ...optional("parentId", parentId),
  };
}

/**
 * Known working directories by their project directory name. The name is not reversible: `/dev/shop-api` and
 * `/dev/shop/api` have the same.
 */
function cwdsBySlug(env: AgentEnv, stores: readonly FoundStore[]): Map<string, string> {
  const cwds = new Map<string, string>();
  const ambiguous = new Set<string>();
  const add = (cwd: string): void => {
    const slug = slugOf(cwd);
    if ((cwds.get(slug) ?? cwd) !== cwd) ambiguous.add(slug);
    cwds.set(slug, cwd);
  };
  for (const { metaJson } of stores) {
    const { cwd } = metaFields(metaJson && objectIn(metaJson.path));
    if (cwd !== undefined) add(cwd);
  }
  for (const [, folder] of knownWorkspaces(env)) add(folder);
  for (const slug of ambiguous) cwds.delete(slug);
  return cwds;
}

function ideSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  return storedSources(ideDatabase(env), "ide", notes, (database) =>
    listIdeSessions(database, () => workspaceFolders(env, notes)),
  );
}

function documentedSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const directory = documentedDir(env);
  const locator: CursorLocator = { kind: "documented-lines" };
  const lineFiles = filesIn(directory, (name) => name.endsWith(".jsonl"), notes.onProblem);
  const rows = storedSources(join(directory, "sessions.db"), "documented-rows", notes, (database) => {
    if (!hasDocumentedTables(database)) throw new Error("has no tables of sessions and messages");
    return listDocumentedSessions(database);
  });
  return [...rows, ...lineFiles.map((file) => fileSource(basename(file.path, ".jsonl"), file, locator))];
}

function storedSources(
  path: string,
  kind: "ide" | "documented-rows",
  notes: ReadNotes,
  list: (database: ReadOnlyDatabase) => ListedSession[],
): SessionSource[] {
  const stat = fileStat(path, notes.onProblem);
  if (stat === undefined || stat.size === 0) return [];
  return databaseSources(stat, notes, list, ({ head }): CursorLocator => ({ kind, head })).map((source) => {
    // The folder of this workspace.
    return { ...source, ...optional("elsewhere", (source.locator as { head: SessionHead }).head.cwd) };
  });
}

/**
 * Transcripts below `projects/<slug>/agent-transcripts/`: `<id>/<id>.jsonl`, before that `<id>.jsonl`, before that `<id>.txt`; a
 * sub-agent's is `<parent>/subagents/<id>.jsonl`.
 */
interface FoundTranscript {
  id: string;
  file: FileStat;
  format: "lines" | "text";
  /** Name of the project directory. */
  slug: string;
  parentId?: string;
}

/** By session id. Of several transcripts the most detailed counts: JSONL before text, then the newest. */
function findTranscripts(env: AgentEnv, notes: ReadNotes): Map<string, FoundTranscript> {
  const found = new Map<string, FoundTranscript>();
  for (const { name: slug } of entriesOf(projectsDir(env), notes.onProblem)) {
    const root = join(projectsDir(env), slug, "agent-transcripts");
    for (const file of filesBelow(root, (name) => /\.(jsonl|txt)$/.test(name), notes.onProblem)) {
      const transcript = transcriptAt(root, slug, file);
      if (transcript === undefined) continue;
      const known = found.get(transcript.id);
      if (known === undefined || isBetter(transcript, known)) found.set(transcript.id, transcript);
    }
  }
  return found;
}

function transcriptAt(root: string, slug: string, file: FileStat): FoundTranscript | undefined {
  const extension = extname(file.path);
  const id = basename(file.path, extension);
  const directory = dirname(file.path);
  const transcript: FoundTranscript = { id, file, slug, format: extension === ".txt" ? "text" : "lines" };
  if (directory === root || directory === join(root, id)) return transcript;
  if (basename(directory) === "subagents") return { ...transcript, parentId: basename(dirname(directory)) };
  return undefined;
}

function isBetter(candidate: FoundTranscript, known: FoundTranscript): boolean {
  if (candidate.format !== known.format) return candidate.format === "lines";
  return candidate.file.mtimeMs > known.file.mtimeMs;
}

/**
 * The projects of IDE conversations that do not name theirs: conversation id to directory, from each workspace's database.
 */
function workspaceFolders(env: AgentEnv, notes: ReadNotes): Map<string, string> {
  const folders = new Map<string, string>();
  for (const [path, folder] of knownWorkspaces(env)) {
    const database = join(path, "state.vscdb");
    if (fileStat(database) === undefined) continue;
    try {
      for (const id of withDatabase(database, conversationsIn)) folders.set(id, folder);
    } catch (error) {
      notes.skip(database, errorText(error));
    }
  }
  return folders;
}

/** Workspace storage directories and their folders. */
function* knownWorkspaces(env: AgentEnv): Generator<[path: string, folder: string]> {
  for (const path of foldersIn(workspacesDir(env))) {
    try {
      const uri = folderOf(objectIn(join(path, "workspace.json")));
      if (uri?.startsWith("file:")) yield [path, fileURLToPath(uri)];
    } catch {
      // A remote folder has no local path.
    }
  }
}
