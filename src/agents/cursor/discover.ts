/** Lists every conversation once, from names and stats: CLI chats, the IDE's, transcripts, documented locations. */
import { basename, dirname, join } from "node:path";
import { entriesOf, fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv, SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasDocumentedTables, listDocumentedSessions } from "../shared/documented-tables.ts";
import { filesOfDatabase, firstOfEach, lastChange, type ListedSession } from "../shared/source-list.ts";
import { readMetaJson, type ChatLocation } from "./chat.ts";
import { metaFields } from "./format.ts";
import { listIdeSessions } from "./format-ide.ts";
import { knownWorkspaces, workspaceFolders } from "./ide-workspaces.ts";
import { acpDir, chatsDir, documentedDir, ideDatabase, slugOf } from "./locations.ts";
import type { TranscriptLocation } from "./transcript.ts";
import { findTranscripts, type FoundTranscript } from "./find-transcripts.ts";

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
  const directoriesIn = (parent: string): string[] =>
    entriesOf(parent, notes.onProblem)
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(parent, entry.name));
  const found: FoundStore[] = [];
  for (const directory of [...directoriesIn(chatsDir(env)).flatMap(directoriesIn), ...directoriesIn(acpDir(env))]) {
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
  return { sessionId: id, path: file.path, files: [file], updatedMs: file.mtimeMs, locator, ...elsewhere };
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
    const { cwd } = metaFields(metaJson && readMetaJson(metaJson.path));
    if (cwd !== undefined) add(cwd);
  }
  for (const [, folder] of knownWorkspaces(env)) add(folder);
  for (const slug of ambiguous) cwds.delete(slug);
  return cwds;
}

function ideSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  return databaseSources(ideDatabase(env), "ide", notes, (database) =>
    listIdeSessions(database, () => workspaceFolders(env, notes)),
  );
}

function documentedSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const directory = documentedDir(env);
  const lineFiles: SessionSource[] = [];
  for (const { name } of entriesOf(directory, notes.onProblem)) {
    const file = name.endsWith(".jsonl") ? fileStat(join(directory, name), notes.onProblem) : undefined;
    if (file === undefined) continue;
    const locator: CursorLocator = { kind: "documented-lines" };
    const sessionId = basename(name, ".jsonl");
    lineFiles.push({ sessionId, path: file.path, files: [file], updatedMs: file.mtimeMs, locator });
  }
  const rows = databaseSources(join(directory, "sessions.db"), "documented-rows", notes, (database) => {
    if (!hasDocumentedTables(database)) throw new Error("has no tables of sessions and messages");
    return listDocumentedSessions(database);
  });
  return [...rows, ...lineFiles];
}

function databaseSources(
  path: string,
  kind: "ide" | "documented-rows",
  notes: ReadNotes,
  list: (database: ReadOnlyDatabase) => ListedSession[],
): SessionSource[] {
  const stat = fileStat(path, notes.onProblem);
  if (stat === undefined || stat.size === 0) return [];
  const files = filesOfDatabase(stat);
  try {
    return withDatabase(path, list).map(({ id, head }) => ({
      sessionId: id,
      path,
      files,
      updatedMs: head.updatedMs ?? lastChange(files),
      locator: { kind, head } satisfies CursorLocator,
      // The folder of this workspace.
      ...optional("elsewhere", head.cwd),
    }));
  } catch (error) {
    notes.skip(path, errorText(error));
    return [];
  }
}
