/** Sessions of all homes: from the databases, and from line files for those no database has. */
import { basename } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { FileStat } from "../../lib/directory.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf, type ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { isDocumentedStore, listDocumentedSessions, readDocumentedSession } from "./documented-store.ts";
import { readLineFile, summarizeLineFile } from "./line-file.ts";
import {
  databasesOf,
  defaultHome,
  filesOfDatabase,
  homes,
  lineFileDirectory,
  lineFilesOf,
  stateDatabase,
} from "./places.ts";
import { search } from "./search.ts";
import { isStateStore, listStateSessions, readStateSession } from "./state-store.ts";

/** The head of a session in a database is complete in the row the listing read; a line file has none yet. */
interface HermesLocator {
  head?: SessionHead;
}

export const history: History = {
  roots: (env) => homes(env).flatMap((home) => [stateDatabase(home), lineFileDirectory(home)]),
  sessionDir: (env) => defaultHome(env),
  listSessions,
  summarize: (source, _env, notes) => locatorOf(source).head ?? summarizeLineFile(source, notes),
  read: (source, _env, notes) =>
    locatorOf(source).head === undefined ? readLineFile(source, notes) : readFromDatabase(source, notes),
  search,
};

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const sources = new Map<string, SessionSource>();
  const add = (source: SessionSource): void => {
    if (!sources.has(source.sessionId)) sources.set(source.sessionId, source);
  };
  const all = homes(env, notes);
  for (const home of all) {
    for (const database of databasesOf(home, notes)) for (const source of sourcesIn(database, notes)) add(source);
  }
  for (const home of all) {
    for (const file of lineFilesOf(home, notes)) {
      add({ sessionId: basename(file.path, ".jsonl"), path: file.path, files: [file], updatedMs: file.mtimeMs });
    }
  }
  return [...sources.values()];
}

function sourcesIn(database: FileStat, notes: ReadNotes): SessionSource[] {
  const files = filesOfDatabase(database);
  const written = Math.max(...files.map((file) => file.mtimeMs));
  try {
    return withDatabase(database.path, (opened) =>
      sessionsIn(opened, notes).map(({ id, head }) => ({
        sessionId: id,
        path: database.path,
        files,
        updatedMs: head.updatedMs ?? written,
        locator: { head } satisfies HermesLocator,
      })),
    );
  } catch (error) {
    notes.skip(database.path, messageOf(error));
    return [];
  }
}

function sessionsIn(database: ReadOnlyDatabase, notes: ReadNotes): { id: string; head: SessionHead }[] {
  if (isStateStore(database)) return listStateSessions(database, notes);
  if (isDocumentedStore(database)) return listDocumentedSessions(database);
  // Other databases of Hermes lie in the same directory; this one should have been a session store.
  if (basename(database.path) === "state.db") notes.skip(database.path, "has no tables of sessions and messages");
  return [];
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
    throw new AgentMuxError("PARSE_ERROR", `${source.path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  return parsed === undefined ? undefined : readerOf(parsed);
}

function locatorOf(source: SessionSource): HermesLocator {
  return (source.locator ?? {}) as HermesLocator;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
