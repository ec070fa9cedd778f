/** Opens listed sessions, each kind with its own reader. */
import { AgentMuxError } from "../../core/errors.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readDocumentedSession } from "../shared/documented-tables.ts";
import { readLineFile, summarizeLineFile } from "../shared/line-file.ts";
import { readChat, summarizeChat } from "./chat.ts";
import { listSessions, type CursorLocator, type Transcript } from "./discover.ts";
import { documentedLines, readTextTranscript, transcriptLines } from "./transcripts.ts";
import { readIdeSession } from "./format-ide.ts";
import { acpDir, chatsDir, chatsDirOf, documentedDir, ideDatabase, projectsDir } from "./locations.ts";

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
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}

function headOf(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  const locator = source.locator as CursorLocator;
  switch (locator.kind) {
    case "chat": {
      const { fallback } = locator;
      const head = unlessUnreadable(source, notes, fallback, () => summarizeChat(source, locator));
      return head ?? (fallback && transcriptHead(source, fallback, notes));
    }
    case "transcript":
      return transcriptHead(source, locator, notes);
    case "documented-lines":
      return summarizeLineFile(source.path, documentedLines(source, notes));
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
        parsed(source.path, () => readChat(source, locator, notes)),
      );
      return reader ?? (fallback && transcriptReader(source, fallback, notes));
    }
    case "transcript":
      return transcriptReader(source, locator, notes);
    case "documented-lines":
      return readLineFile(source.path, documentedLines(source, notes), notes);
    default:
      return databaseReader(source, locator, notes);
  }
}

/** Reads the store; its failure is only noted if a transcript can replace it. */
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
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}

function transcriptHead(source: SessionSource, place: Transcript, notes: ReadNotes): SessionHead | undefined {
  if (place.format === "text") return readTextTranscript(source, place)?.head;
  return summarizeLineFile(place.transcript, transcriptLines(source, place, notes));
}

function transcriptReader(source: SessionSource, place: Transcript, notes: ReadNotes): SessionReader | undefined {
  if (place.format === "text") return parsed(place.transcript, () => readTextTranscript(source, place));
  return readLineFile(place.transcript, transcriptLines(source, place, notes), notes);
}

function databaseReader(
  source: SessionSource,
  { kind, head }: { kind: "ide" | "documented-rows"; head: SessionHead },
  notes: ReadNotes,
): SessionReader | undefined {
  const session = parsed(source.path, () =>
    withDatabase(source.path, (database) =>
      kind === "ide"
        ? readIdeSession(database, source.sessionId, head, notes)
        : readDocumentedSession(database, source.sessionId, notes),
    ),
  );
  return session === undefined ? undefined : readerOf(session);
}

function parsed<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path}: ${errorText(error)}.`, { cause: error });
  }
}
