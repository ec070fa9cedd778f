/** Implements History for Codex's thread store. */
import type { SessionMessage } from "../../core/session.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentEnv, History, SessionHead, SessionOrigins, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { lastChange } from "../shared/source-list.ts";
import { inOrder, storedRollouts, type RolloutFile, type StoredRollout } from "./rollout-files.ts";
import { archiveDirectory, sessionsDirectory } from "./locations.ts";
import { copyUpTo } from "./fork-at.ts";
import { BASE_MARK, historyBase, payloadOf } from "./format.ts";
import { NOTICE_WORDS } from "./notice-text.ts";
import { hasContent, recordsOf } from "./rollout-reader.ts";
import { threadNames, type ThreadName } from "./thread-names.ts";
import { piecesOf, type Piece } from "./thread-pieces.ts";
import { ThreadScan } from "./thread-scan.ts";
import { entriesOf, type Entry } from "./thread-stream.ts";
import { summaryOf, titledByParent } from "./thread-summary.ts";
import { Transcript } from "./transcript.ts";

interface Locator {
  /** The thread's files in the order they were begun. */
  rollouts: RolloutFile[];
  name?: string;
}

export const history: History = {
  roots: (env) => [sessionsDirectory(env), archiveDirectory(env)],
  sessionDir: (env) => sessionsDirectory(env),
  listSessions,
  isWitnessed: true,
  summarize,
  read,
  bytes: {
    files: (source) => {
      const { rollouts } = source.locator as Locator;
      return rollouts.some((file) => file.compressed) ? undefined : rollouts.map((file) => file.path);
    },
    text: (source) => (source.locator as Locator).name ?? "",
    ownWords: NOTICE_WORDS,
    origin: {
      mark: BASE_MARK,
      sessionId: (header) => historyBase(payloadOf(header))?.rolloutId,
    },
  },
};

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const threads = new Map<string, StoredRollout[]>();
  for (const rollout of storedRollouts(env, notes)) {
    const files = threads.get(rollout.file.threadId);
    if (files) files.push(rollout);
    else threads.set(rollout.file.threadId, [rollout]);
  }
  if (threads.size === 0) return [];
  const names = threadNames(env, notes);
  const sources: SessionSource[] = [];
  threads.forEach((rollouts, id) => sources.push(sourceOf(id, inOrder(rollouts), names.get(id))));
  return sources;
}

function sourceOf(sessionId: string, stored: readonly StoredRollout[], name: ThreadName | undefined): SessionSource {
  const rollouts = stored.map(({ file }) => file);
  const stats = stored.map(({ stat }) => stat);
  const locator: Locator = name ? { rollouts, name: name.name } : { rollouts };
  const files = name ? [...stats, name.file] : stats;
  const { path, archived } = rollouts.at(-1)!;
  // Only its place tells.
  const elsewhere = archived ? { elsewhere: "archived" } : {};
  return { sessionId, path, files, updatedMs: lastChange(stats), locator, ...elsewhere };
}

function summarize(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { rollouts, name } = source.locator as Locator;
  try {
    const summary = summaryOf(rollouts, name, env, notes);
    if (summary) return summary;
    const pieces = piecesOf(rollouts, env);
    return headOf(source, pieces, scanOf(pieces, notes));
  } catch (error) {
    notes.skip(source.path, error instanceof AgentMuxError ? error.message : `cannot be read (${String(error)})`);
    return undefined;
  }
}

function read(
  source: SessionSource,
  env: AgentEnv,
  notes: ReadNotes,
  what: "all" | "text" = "all",
): SessionReader | undefined {
  const { rollouts } = source.locator as Locator;
  const pieces = piecesOf(rollouts, env);
  const kept = what === "text" && isSmall(source, pieces) ? [...entriesOf(pieces, notes)] : undefined;
  const scan = scanOf(pieces, notes, kept);
  const head = headOf(source, pieces, scan);
  return (
    head && {
      head,
      messages: () => messagesOf(kept ?? entriesOf(pieces), scan),
      counts: () => ({ messageCount: scan.messageCount, turnCount: scan.turnCount }),
      usage: () => scan.usage,
      ...originsOf(pieces),
      copyUpTo: (last, copy) => copyUpTo(pieces, scan, last, copy),
      raw: () => rollouts.flatMap((file) => [...nativeRecords(file)]),
    }
  );
}

function originsOf(pieces: readonly Piece[]): { origins?: SessionOrigins } {
  const files = pieces.filter(({ inherited }) => inherited).map(({ file }) => file.path);
  const incomplete = pieces.some(({ lacksBase }) => lacksBase);
  if (files.length === 0 && !incomplete) return {};
  return { origins: incomplete ? { files, incomplete } : { files } };
}

/** The parsed form takes about three times as much. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** Small enough to keep its records in memory, so that none is parsed twice. */
function isSmall({ files }: SessionSource, pieces: readonly Piece[]): boolean {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes <= MAX_KEPT_BYTES && !pieces.some(({ file, inherited }) => file.compressed || inherited);
}

/** `kept`: all entries, if they are in memory. */
function scanOf(pieces: readonly Piece[], notes: ReadNotes, kept?: readonly Entry[]): ThreadScan {
  const scan = new ThreadScan("events");
  for (const entry of kept ?? entriesOf(pieces, notes)) scan.take(entry);
  scan.end();
  if (!scan.needsItems) return scan;
  const again = new ThreadScan("items");
  for (const entry of kept ?? entriesOf(pieces)) again.take(entry);
  again.end();
  return again;
}

/** Undefined if there is no conversation; PARSE_ERROR if the file is not empty but has no record. */
function headOf(source: SessionSource, pieces: readonly Piece[], scan: ThreadScan): SessionHead | undefined {
  const { rollouts, name } = source.locator as Locator;
  if (scan.recordCount === 0 && rollouts.some(hasContent)) {
    throw new AgentMuxError("PARSE_ERROR", `No Codex session record can be read from ${source.path}.`);
  }
  if (!scan.hasConversation) return undefined;
  return titledByParent(scan.facts.head(name, rollouts.at(-1)!.archived, true), pieces, name);
}

function* messagesOf(entries: Iterable<Entry>, scan: ThreadScan): Generator<SessionMessage> {
  const transcript = new Transcript(scan.prompts);
  for (const entry of entries) if (scan.isShown(entry)) for (const { message } of transcript.take(entry)) yield message;
  for (const { message } of transcript.release()) yield message;
}

function* nativeRecords(file: RolloutFile): Generator<unknown> {
  for (const { record } of recordsOf(file)) yield record.object;
}
