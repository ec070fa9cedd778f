/** Sessions of all homes: from the databases, and from line files for those no database has. */
import { basename } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf, type FileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { Json } from "../../lib/json/fields.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import { parseJson } from "../../lib/json/json.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf, type ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasDocumentedTables, listDocumentedSessions, readDocumentedSession } from "../shared/documented-tables.ts";
import { readLineFile, summarizeLineFile } from "../shared/line-file.ts";
import { filesOfDatabase, firstOfEach, lastChange, type ListedSession } from "../shared/source-list.ts";
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
import { documentLines, isStateStore } from "./format.ts";
import { listStateSessions, readStateSession } from "./state-store.ts";
import { headOf, readDocument, transcriptLines } from "./transcript-lines.ts";

/** The head of a session in a database is complete in the row the listing read; a line file has none yet. */
interface HermesLocator {
  head?: SessionHead;
}

export const history: History = {
  roots: (env) => homes(env).flatMap((home) => [stateDatabase(home), lineFileDirectory(home)]),
  sessionDir: (env) => defaultHome(env),
  listSessions,
  summarize: (source, _env, notes) => locatorOf(source).head ?? summarizeFile(source, notes),
  read: (source, _env, notes) =>
    locatorOf(source).head === undefined ? readFromFile(source, notes) : readFromDatabase(source, notes),
  search: { sessions: search, notes: searchNotes, note },
};

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const all = homes(env, notes);
  const databases = all.flatMap((home) => databasesOf(home, notes));
  const files = all.flatMap((home) => lineFilesOf(home, notes));
  return firstOfEach([...databases.flatMap((database) => sourcesIn(database, notes)), ...files.map(fileSource)]);
}

function fileSource(file: FileStat): SessionSource {
  return { sessionId: sessionOfFile(basename(file.path))!, path: file.path, files: [file], updatedMs: file.mtimeMs };
}

function sourcesIn(database: FileStat, notes: ReadNotes): SessionSource[] {
  const files = filesOfDatabase(database);
  try {
    return withDatabase(database.path, (opened) =>
      sessionsIn(opened, notes).map(({ id, head }) => ({
        sessionId: id,
        path: database.path,
        files,
        updatedMs: head.updatedMs ?? lastChange(files),
        locator: { head } satisfies HermesLocator,
      })),
    );
  } catch (error) {
    notes.skip(database.path, errorText(error));
    return [];
  }
}

function sessionsIn(database: ReadOnlyDatabase, notes: ReadNotes): ListedSession[] {
  if (isStateStore(database)) return listStateSessions(database, notes);
  if (hasDocumentedTables(database)) return listDocumentedSessions(database);
  // Other databases of Hermes lie in the same directory; this one should have been a session store.
  if (basename(database.path) === "state.db") notes.skip(database.path, "has no tables of sessions and messages");
  return [];
}

function summarizeFile(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  try {
    if (!isDocument(source)) return summarizeLineFile(source.path, transcriptLines(source, notes));
    const records = documentIn(source);
    if (records === undefined) throw new Error("holds no readable message");
    return headOf(source, records);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}

function readFromFile(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  return isDocument(source)
    ? readDocument(source, documentIn(source), notes)
    : readLineFile(source.path, transcriptLines(source, notes), notes);
}

function isDocument({ path }: SessionSource): boolean {
  return path.endsWith(".json");
}

function documentIn({ path }: SessionSource): Json[] | undefined {
  let text: string;
  try {
    text = readText(path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  return documentLines(parseJson(text));
}

function readFromDatabase(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  let parsed: ParsedSession | undefined;
  try {
    parsed = withDatabase(source.path, (database) =>
      isStateStore(database)
        ? readStateSession(database, source.sessionId, notes)?.parsed
        : readDocumentedSession(database, source.sessionId, notes),
    );
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path} cannot be read: ${errorText(error)}.`, { cause: error });
  }
  return parsed === undefined ? undefined : readerOf(parsed);
}

function locatorOf(source: SessionSource): HermesLocator {
  return (source.locator ?? {}) as HermesLocator;
}
