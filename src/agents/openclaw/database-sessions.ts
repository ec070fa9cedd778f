/** Sessions in an agent's database. */
import { join } from "node:path";
import { fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import type { ReadNotes } from "../read-notes.ts";
import { summarizeTree } from "../shared/jsonl-tree.ts";
import { writtenMs } from "../shared/tree-format.ts";
import { filesOfDatabase } from "../shared/source-list.ts";
import {
  ARCHIVES,
  COLD_ARCHIVES,
  listBlobs,
  listWindows,
  readOpening,
  type BlobRow,
  type Opening,
  type StoredWindow,
} from "./format.ts";
import {
  archiveIdentity,
  type FoundSession,
  isCopied,
  type KeyTimeline,
  known,
  liveIdentity,
  type Transcript,
  parseTranscriptName,
} from "./found-session.ts";
import type { AgentDirectory } from "./locations.ts";
import { promptText } from "./prompt-text.ts";

type Place = Pick<FoundSession, "path" | "files" | "updatedMs" | "transcript">;

/** The sessions of an agent's database, if there is one. Adds its keys to `keys`. */
export function sessionsInDatabase(
  agent: AgentDirectory,
  owner: string,
  keys: KeyTimeline,
  notes: ReadNotes,
): FoundSession[] {
  const stat = agent.database && fileStat(agent.database, notes.onProblem);
  if (!stat) return [];
  const store = { agent, stat, files: filesOfDatabase(stat) };
  try {
    const { windows, found } = withDatabase(stat.path, (database) => {
      const windows = listWindows(database);
      const sessions = windowSessions(database, windows, store, owner, notes);
      return { windows, found: [...sessions, ...archiveSessions(database, store)] };
    });
    for (const { entry } of windows) if (entry) keys.add(entry);
    return found;
  } catch (error) {
    notes.skip(stat.path, `cannot be read (${errorText(error)})`);
    return [];
  }
}

interface Store {
  agent: AgentDirectory;
  stat: FileStat;
  files: FileStat[];
}

function* windowSessions(
  database: ReadOnlyDatabase,
  windows: readonly StoredWindow[],
  store: Store,
  owner: string,
  notes: ReadNotes,
): Generator<FoundSession> {
  const cold = new Map(listBlobs(database, COLD_ARCHIVES).map((blob) => [blob.sessionId, blob]));
  for (const window of windows) {
    const found = { ...liveIdentity(window.sessionId, owner), ...known(window.entry) };
    const away = cold.get(window.sessionId);
    if (away !== undefined) {
      const place = coldPlace(store, window, away, notes);
      if (place) yield { ...found, ...place };
      continue;
    }
    let opening: Opening;
    try {
      opening = readOpening(database, window.sessionId, () => notes.damage(store.stat.path));
    } catch {
      // A broken page may not affect the other sessions.
      notes.damage(store.stat.path);
      continue;
    }
    const place = rowsPlace(store, window, opening);
    // A later window of a forked key has no messages of the fork's source.
    const { fork } = window;
    const forked = opening.events.some((event) => isCopied(writtenMs(event), fork));
    if (place) yield { ...found, about: { ...found.about, ...(fork && forked ? { fork } : {}) }, ...place };
  }
}

/** Includes the head, so that a summary does not open the database again. */
function rowsPlace({ stat, files }: Store, window: StoredWindow, opening: Opening): Place | undefined {
  const { head, hasConversation } = summarizeTree(opening.events, { userText: promptText });
  if (!hasConversation && opening.whole) return undefined;
  const updatedMs = opening.lastMs ?? head.updatedMs;
  return {
    path: stat.path,
    files,
    updatedMs: updatedMs ?? window.updatedMs ?? stat.mtimeMs,
    transcript: {
      kind: "rows",
      windowId: window.sessionId,
      head: {
        ...head,
        ...optional("updatedMs", updatedMs),
        // The row has the model of the last run; the most used one is known only after reading all.
        ...(opening.whole || window.model === undefined ? {} : { model: window.model }),
      },
    },
  };
}

/** Files in cold storage are named by the digest of their content. */
const COLD_NAME = /^[0-9a-f]{64}\.jsonl\.zst$/;

function coldPlace(
  { agent, stat, files }: Store,
  window: StoredWindow,
  blob: BlobRow,
  notes: ReadNotes,
): Place | undefined {
  if (blob.inside) {
    const transcript = blobTranscript(COLD_ARCHIVES, blob);
    return { path: stat.path, files, updatedMs: window.updatedMs ?? stat.mtimeMs, transcript };
  }
  const file = COLD_NAME.test(blob.name) ? fileStat(join(agent.transcripts, "cold", blob.name)) : undefined;
  if (file === undefined) {
    notes.skip(stat.path, `the transcript of ${window.sessionId} is not in the cold storage`);
    return undefined;
  }
  return {
    path: file.path,
    files: [file],
    updatedMs: window.updatedMs ?? file.mtimeMs,
    transcript: { kind: "compressed" },
  };
}

function* archiveSessions(database: ReadOnlyDatabase, { stat, files }: Store): Generator<FoundSession> {
  for (const blob of listBlobs(database, ARCHIVES)) {
    const name = parseTranscriptName(blob.name);
    if (!blob.inside || name === undefined) continue;
    yield {
      ...archiveIdentity("archive-row", blob.sessionId, name),
      about: { archived: true },
      path: stat.path,
      files,
      updatedMs: stat.mtimeMs,
      transcript: blobTranscript(ARCHIVES, blob),
    };
  }
}

function blobTranscript(table: (Transcript & { kind: "blob" })["table"], blob: BlobRow): Transcript {
  return { kind: "blob", table, windowId: blob.sessionId, generation: blob.generation };
}
