/** Sessions of all homes: from databases, and from line files if no database has them. */
import { basename } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { FileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf, type ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasDocumentedTables, listDocumentedSessions, readDocumentedSession } from "../shared/documented-tables.ts";
import { readLineFile, summarizeLineFile } from "../shared/line-file.ts";
import { databaseSources, fileSource, firstOfEach, type ListedSession } from "../shared/source-list.ts";
import {
  databasesOf,
  defaultHome,
  homes,
  lineFileDirectory,
  lineFilesOf,
  sessionOfFile,
  stateDatabase,
} from "./locations.ts";
import { note, search, searchNotes } from "./search.ts";
import { isStateStore } from "./format.ts";
import { listStateSessions, readStateSession } from "./state-store.ts";
import { documentIn, headOf, isDocument, readDocument, transcriptLines } from "./transcript-lines.ts";

/** The listed row of a database session has the complete head; a line file has none yet. */
interface HermesLocator {
  head?: SessionHead;
  /** A file of the same session, in case the database lost its messages. */
  file?: string;
}

export const history: History = {
  roots: (env) => homes(env).flatMap((home) => [stateDatabase(home), lineFileDirectory(home)]),
  sessionDir: (env) => defaultHome(env),
  listSessions,
  summarize: (source, _env, notes) => locatorOf(source).head ?? summarizeFile(source, notes),
  read: (source, _env, notes) =>
    locatorOf(source).head === undefined ? readFromFile(source, notes) : readStored(source, notes),
  search: { sessions: search, notes: searchNotes, note },
};

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const stored: SessionSource[] = [];
  const filed: SessionSource[] = [];
  for (const home of homes(env, notes)) {
    const files = lineFilesOf(home, notes);
    // Only within this home: another profile may have a session with the same id.
    const byId = new Map(files.toReversed().map((file) => [sessionOfFile(basename(file.path))!, file]));
    for (const database of databasesOf(home, notes))
      for (const source of sourcesIn(database, byId, notes)) stored.push(source);
    for (const file of files) filed.push(fileSource(sessionOfFile(basename(file.path))!, file));
  }
  return firstOfEach([...stored, ...filed]);
}

function sourcesIn(database: FileStat, byId: ReadonlyMap<string, FileStat>, notes: ReadNotes): SessionSource[] {
  const locatorOf = ({ id, head }: ListedSession): HermesLocator => {
    return { head, ...optional("file", byId.get(id)?.path) };
  };
  return databaseSources(database, notes, (opened) => sessionsIn(opened, notes), locatorOf).map((source) => {
    const file = byId.get(source.sessionId);
    return file === undefined ? source : { ...source, files: [...source.files, file] };
  });
}

function sessionsIn(database: ReadOnlyDatabase, notes: ReadNotes): ListedSession[] {
  if (isStateStore(database)) return listStateSessions(database, notes);
  if (hasDocumentedTables(database)) return listDocumentedSessions(database);
  // The directory has other databases of Hermes too; this one should have been a session store.
  if (basename(database.path) === "state.db") notes.skip(database.path, "has no tables of sessions and messages");
  return [];
}

function summarizeFile(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  try {
    if (!isDocument(source.path)) return summarizeLineFile(source.path, transcriptLines(source, notes));
    const records = documentIn(source.path);
    if (records === undefined) throw new Error("holds no readable message");
    return headOf(source, records);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}

function readFromFile(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  return isDocument(source.path)
    ? readDocument(source, documentIn(source.path), notes)
    : readLineFile(source.path, transcriptLines(source, notes), notes);
}

/** Reads the database; messages come from the file if the database has none or cannot be read. */
function readStored(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const { head, file } = locatorOf(source);
  let parsed: ParsedSession | undefined;
  try {
    parsed = readFromDatabase(source, notes);
  } catch (error) {
    if (file === undefined) throw error;
    notes.skip(source.path, errorText(error));
  }
  const stored = parsed && readerOf(parsed);
  if (file === undefined || (parsed !== undefined && parsed.messages.length > 0)) return stored;
  const said = readFromFile({ ...source, path: file }, notes);
  if (stored === undefined) return said && { ...said, head: { ...said.head, ...head } };
  return said === undefined ? stored : { ...stored, messages: () => said.messages() };
}

function readFromDatabase(source: SessionSource, notes: ReadNotes): ParsedSession | undefined {
  try {
    return withDatabase(source.path, (database) =>
      isStateStore(database)
        ? readStateSession(database, source.sessionId, notes)?.parsed
        : readDocumentedSession(database, source.sessionId, notes),
    );
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function locatorOf(source: SessionSource): HermesLocator {
  return (source.locator ?? {}) as HermesLocator;
}
