/** Opening what the listing found, each kind by its own reader. */
import { AgentMuxError } from "../../core/errors.ts";
import { withDatabase } from "../../lib/sqlite.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readChat, summarizeChat } from "./chat.ts";
import { readDocumentedSession } from "./documented-store.ts";
import { readIdeSession } from "./ide-store.ts";
import { readLineFile, summarizeLineFile } from "./line-file.ts";
import { listSessions, type CursorLocator, type Transcript } from "./listing.ts";
import { acpDir, chatsDir, chatsDirOf, documentedDir, ideDatabase, projectsDir } from "./places.ts";
import { readTextTranscript, summarizeTextTranscript } from "./text-transcript.ts";
import { readTranscript, summarizeTranscript } from "./transcript.ts";

export const history: History = {
  roots: (env) => [chatsDir(env), acpDir(env), projectsDir(env), ideDatabase(env), documentedDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? chatsDir(env) : chatsDirOf(env, cwd)),
  listSessions,
  summarize,
  read,
};

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  try {
    return headOf(source, notes);
  } catch (error) {
    notes.skip(source.path, messageOf(error));
    return undefined;
  }
}

function headOf(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  const locator = source.locator as CursorLocator;
  switch (locator.kind) {
    case "chat": {
      const { fallback } = locator;
      const head = unlessUnreadable(source, notes, fallback, () => summarizeChat(source, locator));
      return head ?? (fallback && transcriptHead(source, fallback));
    }
    case "transcript":
      return transcriptHead(source, locator);
    case "line-file":
      return summarizeLineFile(source);
    default:
      return locator.head;
  }
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const locator = source.locator as CursorLocator;
  switch (locator.kind) {
    case "chat": {
      const { fallback } = locator;
      const reader = unlessUnreadable(source, notes, fallback, () =>
        parsed(source, () => readChat(source, locator, notes)),
      );
      return reader ?? (fallback && transcriptReader(source, fallback, notes));
    }
    case "transcript":
      return transcriptReader(source, locator, notes);
    case "line-file":
      return readLineFile(source, notes);
    default:
      return databaseReader(source, locator, notes);
  }
}

/** The answer from the store; the store's failure is only told when a transcript can stand in for it. */
function unlessUnreadable<T>(
  source: SessionSource,
  notes: ReadNotes,
  fallback: Transcript | undefined,
  fromStore: () => T | undefined,
): T | undefined {
  try {
    return fromStore();
  } catch (error) {
    if (fallback === undefined) throw error;
    notes.skip(source.path, messageOf(error));
    return undefined;
  }
}

function transcriptHead(source: SessionSource, place: Transcript): SessionHead | undefined {
  return place.format === "text" ? summarizeTextTranscript(source, place) : summarizeTranscript(source, place);
}

function transcriptReader(source: SessionSource, place: Transcript, notes: ReadNotes): SessionReader | undefined {
  return place.format === "text" ? readTextTranscript(source, place) : readTranscript(source, place, notes);
}

function databaseReader(
  source: SessionSource,
  { kind, head }: { kind: "ide" | "documented"; head: SessionHead },
  notes: ReadNotes,
): SessionReader | undefined {
  const session = parsed(source, () =>
    withDatabase(source.path, (database) =>
      kind === "ide"
        ? readIdeSession(database, source.sessionId, head, notes)
        : readDocumentedSession(database, source.sessionId, notes),
    ),
  );
  return session === undefined ? undefined : readerOf(session);
}

function parsed<T>(source: SessionSource, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path}: ${messageOf(error)}.`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
