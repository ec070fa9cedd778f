/** Every conversation once, from names and stats: chats of the CLI, the IDE's, transcripts, the documented places. */
import { basename, dirname, join } from "node:path";
import { entriesOf, fileStat, type FileStat } from "../../lib/directory.ts";
import { asText } from "../../lib/fields.ts";
import { withDatabase } from "../../lib/sqlite.ts";
import type { AgentEnv, SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readMetaJson, type ChatPlace } from "./chat.ts";
import { listDocumentedSessions } from "./documented-store.ts";
import { listIdeSessions } from "./ide-store.ts";
import { knownWorkspaces } from "./ide-workspaces.ts";
import { acpDir, chatsDir, documentedDir, ideDatabase, slugOf } from "./places.ts";
import type { TranscriptPlace } from "./transcript.ts";
import { findTranscripts, type FoundTranscript } from "./transcript-places.ts";

export type Transcript = TranscriptPlace & { format: "lines" | "text" };

/** How a session is opened again. The transcript of a chat stands in for a store that cannot be read. */
export type CursorLocator =
  | ({ kind: "chat"; fallback?: Transcript } & ChatPlace)
  | ({ kind: "transcript" } & Transcript)
  | { kind: "ide" | "documented"; head: SessionHead }
  | { kind: "line-file" };

/** Only a chat with a store of the CLI's own can be gone on with there; one without is only a record. */
export function isCliChat(source: SessionSource): boolean {
  const isAcp = basename(dirname(dirname(source.path))) === "acp-sessions";
  return (source.locator as CursorLocator | undefined)?.kind === "chat" && !isAcp;
}

export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const sources = new Map<string, SessionSource>();
  const add = (source: SessionSource): void => {
    if (!sources.has(source.sessionId)) sources.set(source.sessionId, source);
  };
  const transcripts = findTranscripts(env, notes);
  const stores = findStores(env, notes);
  const cwds = transcripts.size === 0 ? new Map<string, string>() : cwdsBySlug(env, stores);
  for (const store of stores) add(chatSource(store, transcripts.get(store.id), cwds));
  for (const source of ideSources(env, notes)) add(source);
  for (const found of transcripts.values()) add(transcriptSource(found, cwds));
  for (const source of documentedSources(env, notes)) add(source);
  return [...sources.values()];
}

interface FoundStore {
  id: string;
  store: FileStat;
  log: FileStat | undefined;
  metaJson: FileStat | undefined;
}

/** Chat directories with a store; one that has only `meta.json` was opened and never used. */
function findStores(env: AgentEnv, notes: ReadNotes): FoundStore[] {
  const onProblem = (path: string, reason: string): void => notes.skip(path, reason);
  const directoriesIn = (parent: string): string[] =>
    entriesOf(parent, onProblem)
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(parent, entry.name));
  const found: FoundStore[] = [];
  for (const directory of [...directoriesIn(chatsDir(env)).flatMap(directoriesIn), ...directoriesIn(acpDir(env))]) {
    const store = fileStat(join(directory, "store.db"), onProblem);
    if (store === undefined) continue;
    const log = fileStat(`${store.path}-wal`);
    if (store.size + (log?.size ?? 0) === 0) continue;
    found.push({ id: basename(directory), store, log, metaJson: fileStat(join(directory, "meta.json")) });
  }
  // A chat that was taken to another directory is in both; the one that was used last is the chat.
  return found.sort((a, b) => newest([b.store, b.log]) - newest([a.store, a.log]));
}

function chatSource(
  found: FoundStore,
  transcript: FoundTranscript | undefined,
  cwds: ReadonlyMap<string, string>,
): SessionSource {
  const { id, store, log, metaJson } = found;
  const files = [store, log, metaJson, transcript?.file].filter((file) => file !== undefined);
  const locator: CursorLocator = {
    kind: "chat",
    store: store.path,
    ...(metaJson === undefined ? {} : { metaJson: metaJson.path }),
    ...(transcript?.parentId === undefined ? {} : { parentId: transcript.parentId }),
    ...(transcript === undefined ? {} : { fallback: placeOf(transcript, cwds) }),
  };
  return { sessionId: id, path: store.path, files, updatedMs: newest([store, log, metaJson]), locator };
}

function transcriptSource(found: FoundTranscript, cwds: ReadonlyMap<string, string>): SessionSource {
  const { id, file } = found;
  const locator: CursorLocator = { kind: "transcript", ...placeOf(found, cwds) };
  return { sessionId: id, path: file.path, files: [file], updatedMs: file.mtimeMs, locator };
}

function placeOf({ file, format, slug, parentId }: FoundTranscript, cwds: ReadonlyMap<string, string>): Transcript {
  const cwd = cwds.get(slugOf(slug));
  return {
    format,
    transcript: file.path,
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentId === undefined ? {} : { parentId }),
  };
}

/**
 * Directories that are known to have been worked in, by the name a project directory has for them. The name alone
 * cannot be turned back into a path: `/dev/shop-api` and `/dev/shop/api` have the same.
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
    const cwd = metaJson === undefined ? undefined : asText(readMetaJson(metaJson.path)?.["cwd"]);
    if (cwd !== undefined) add(cwd);
  }
  for (const [, folder] of knownWorkspaces(env)) add(folder);
  for (const slug of ambiguous) cwds.delete(slug);
  return cwds;
}

function ideSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  return databaseSources(ideDatabase(env), "ide", notes, (database) => listIdeSessions(database, env, notes));
}

function documentedSources(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const directory = documentedDir(env);
  const onProblem = (path: string, reason: string): void => notes.skip(path, reason);
  const lineFiles: SessionSource[] = [];
  for (const { name } of entriesOf(directory, onProblem)) {
    const file = name.endsWith(".jsonl") ? fileStat(join(directory, name), onProblem) : undefined;
    if (file === undefined) continue;
    const locator: CursorLocator = { kind: "line-file" };
    const sessionId = basename(name, ".jsonl");
    lineFiles.push({ sessionId, path: file.path, files: [file], updatedMs: file.mtimeMs, locator });
  }
  const database = join(directory, "sessions.db");
  return [...databaseSources(database, "documented", notes, listDocumentedSessions), ...lineFiles];
}

function databaseSources(
  path: string,
  kind: "ide" | "documented",
  notes: ReadNotes,
  list: (database: Parameters<typeof listDocumentedSessions>[0]) => { id: string; head: SessionHead }[],
): SessionSource[] {
  const stat = fileStat(path, (problem, reason) => notes.skip(problem, reason));
  if (stat === undefined || stat.size === 0) return [];
  const log = fileStat(`${path}-wal`);
  const files = [stat, log].filter((file) => file !== undefined);
  try {
    return withDatabase(path, list).map(({ id, head }) => ({
      sessionId: id,
      path,
      files,
      updatedMs: head.updatedMs ?? newest(files),
      locator: { kind, head } satisfies CursorLocator,
    }));
  } catch (error) {
    notes.skip(path, error instanceof Error ? error.message : String(error));
    return [];
  }
}

function newest(files: readonly (FileStat | undefined)[]): number {
  return Math.max(...files.map((file) => file?.mtimeMs ?? 0));
}
