/** The thread store of Codex as a History. */
import { lookLater, sizeIfKnown, type Looking } from "../../lib/directory.ts";
import { asObject, type Json } from "../../lib/fields.ts";
import type { SessionMessage } from "../../core/session.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type {
  AgentEnv,
  GrownReader,
  GrowthPoint,
  History,
  SessionBill,
  SessionCounts,
  SessionHead,
  SessionOrigins,
  SessionReader,
  SessionSource,
  SessionTally,
} from "../adapter.ts";
import {
  countPacker,
  rowPacker,
  type CountPacker,
  type PackedBill,
  type RowPacker,
  type RowPieces,
} from "../packed-rows.ts";
import type { ReadNotes } from "../read-notes.ts";
import { builtMessage, type SessionTexts } from "../text-message.ts";
import { ListedSource } from "../shared/source-list.ts";
import { UsageRows } from "../usage-rows.ts";
import { findRollout, inOrder, isUuid, storedRollouts, type RolloutFile, type StoredRollout } from "./rollout-files.ts";
import { archiveDirectory, sessionsDirectory } from "./places.ts";
import { copyUpTo } from "./fork-at.ts";
import { NOTICE_WORDS } from "./notice-text.ts";
import { headScan, quickHead } from "./quick-head.ts";
import { envelopeOf } from "./envelope.ts";
import { CODEX_RECORDS_WASM } from "./rollout-scan.gen.ts";
import { saidScan } from "./said.ts";
import { rebuild, stateOf } from "./rebuild.ts";
import { hasContent, recordsOf } from "./rollout-reader.ts";
import { threadNames, type ThreadName } from "./thread-names.ts";
import { historyBase, piecesOf, UNLIMITED, type Piece } from "./thread-pieces.ts";
import { billThread, countThread, threadCount } from "./thread-count.ts";
import { ThreadScan } from "./thread-scan.ts";
import { growthPointOf, scanFrom } from "./thread-growth.ts";
import { countEntries, entriesFrom, entriesOf, type Entry, type ThreadPoint } from "./thread-stream.ts";
import { summaryOf } from "./thread-summary.ts";
import { Transcript, type Placed } from "./transcript.ts";

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
  packRows,
  countRows,
  read,
  texts,
  rebuild,
  readOn,
  tally,
  tallyInto,
  billInto,
  scannerWasm: () => CODEX_RECORDS_WASM,
  bytes: {
    listNames: (env, notes) => listSessions(env, notes, undefined, lookLater),
    files: (source) => {
      const { rollouts } = source.locator as Locator;
      return rollouts.some((file) => file.compressed) ? undefined : rollouts.map((file) => file.path);
    },
    text: (source) => (source.locator as Locator).name ?? "",
    ownWords: NOTICE_WORDS,
    envelope: envelopeOf,
    saidScan,
    origin: {
      mark: '"history_base":{',
      sessionId: (header) => historyBase(asObject(header["payload"]) ?? {})?.rolloutId,
    },
  },
};

function listSessions(env: AgentEnv, notes: ReadNotes, _cwd?: string, look?: Looking): SessionSource[] {
  const threads = new Map<string, StoredRollout[]>();
  for (const rollout of storedRollouts(env, notes, look)) {
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
  const isOne = stored.length === 1;
  const rollouts = isOne ? [stored[0]!.file] : stored.map(({ file }) => file);
  const stats = isOne ? [stored[0]!.stat] : stored.map(({ stat }) => stat);
  const locator: Locator = name ? { rollouts, name: name.name } : { rollouts };
  const files = name ? [...stats, name.file] : stats;
  return new ListedSource({ sessionId, path: rollouts[rollouts.length - 1]!.path, files, locator }, stats);
}

function summarize(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { rollouts, name } = source.locator as Locator;
  try {
    const [file] = rollouts;
    const isOne = rollouts.length === 1 && isPlain(file!);
    return (
      (isOne ? quickHead(file!, sizeIfKnown(source.files[0]!), name) : undefined) ??
      countQuickly(rollouts, name, env, new UsageRows())?.counts?.head ??
      summaryOf(rollouts, name, notes) ??
      headOf(source, scanOf(piecesOf(rollouts, env), notes))
    );
  } catch (error) {
    notes.skip(source.path, error instanceof AgentMuxError ? error.message : `cannot be read (${String(error)})`);
    return undefined;
  }
}

function packRows(pieces: RowPieces): RowPacker {
  const scan = headScan();
  return rowPacker(scan, pieces, {
    atOnce: scan.rowsAtOnce,
    read(source, slot) {
      const { rollouts, name } = source.locator as Locator;
      const file = rollouts[0]!;
      if (name !== undefined || rollouts.length > 1 || !isPlain(file) || !isUuid(file.threadId)) return undefined;
      return scan.readForRow(file.path, sizeIfKnown(source.files[0]!), slot);
    },
    pack: ({ locator }, ends) => scan.packRow((locator as Locator).rollouts[0]!, ends),
  });
}

function countRows(pieces: RowPieces): CountPacker {
  const scan = threadCount();
  const count: CountPacker["count"] = (source, env, notes, rows) => {
    const { rollouts, name } = source.locator as Locator;
    const file = rollouts[0]!;
    const mayPack = name === undefined && rollouts.length === 1 && isPlain(file) && isUuid(file.threadId);
    return (mayPack ? packed(scan, file, env, rows) : undefined) ?? tallyInto(source, env, notes, rows);
  };
  const readAhead = ({ locator }: SessionSource): boolean => {
    const file = (locator as Locator).rollouts[0]!;
    return !isPlain(file) || scan.ahead.read(file.path);
  };
  return countPacker(scan, pieces, { count, tallyInto, readAhead });
}

/** Forks of forks of forks; in longer chains there may be a loop, which is found by whoever reads all of it. */
const MAX_PACKED_PIECES = 5;

/** A thread in one file, or in that and the beginnings of others'; undefined when it is none of these, or out of the ordinary. */
function packed(
  scan: ReturnType<typeof threadCount>,
  file: RolloutFile,
  env: AgentEnv,
  rows: UsageRows,
): PackedBill | undefined {
  try {
    let pieces = [wholePiece(file)];
    while (pieces.length < MAX_PACKED_PIECES) {
      const found = scan.pack(pieces, rows);
      if (found === undefined || !("continues" in found)) return found;
      const base = historyBase(found.continues);
      const parent = base && findRollout(env, base.rolloutId);
      if (parent === undefined || parent.threadId === file.threadId || !isPlain(parent)) return undefined;
      const [first, ...rest] = pieces;
      const begin = { file: parent, inherited: true, continues: false, end: base!.end };
      pieces = [begin, { ...first!, continues: true }, ...rest];
    }
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    // Who reads it record by record tells that it cannot be read.
    return undefined;
  }
}

function read(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { rollouts } = source.locator as Locator;
  const pieces = piecesOf(rollouts, env);
  const scan = scanOf(pieces, notes);
  const head = headOf(source, scan);
  return (
    head && {
      head,
      messages: () => messagesOf(entriesOf(pieces), scan),
      growthPoint: () => (isSingle(pieces) ? growthPointOf(scan, rollouts[0]!.threadId) : undefined),
      usage: () => scan.usage,
      ...originsOf(pieces),
      copyUpTo: (last, copy) => copyUpTo(pieces, scan, last, copy),
      raw: () => rollouts.flatMap((file) => [...nativeRecords(file)]),
    }
  );
}

/** As `read` has them, with where they lie. */
function texts(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionTexts | undefined {
  const { rollouts } = source.locator as Locator;
  const pieces = piecesOf(rollouts, env);
  const scan = scanOf(pieces, notes);
  if (headOf(source, scan) === undefined) return undefined;
  const file = rollouts.length === 1 && isRebuilt(pieces, scan) ? rollouts[0] : undefined;
  return {
    *messages() {
      for (const placed of placedIn(entriesOf(pieces), scan)) {
        const { message, offset } = placed;
        const spot = file && {
          path: file.path,
          starts: [offset],
          tool: message.toolResult?.toolName,
          state: stateOf(placed, scan),
        };
        yield { ...builtMessage(message), spot };
      }
    },
    subagents: () => [],
    growthPoint: () => (isSingle(pieces) ? growthPointOf(scan, rollouts[0]!.threadId) : undefined),
  };
}

/** Whether records of the file become the same messages when they are taken by themselves. */
function isRebuilt(pieces: readonly Piece[], scan: ThreadScan): boolean {
  const { threadId } = pieces[0]!.file;
  const isOwn = scan.threadId === undefined || scan.threadId === threadId;
  return isSingle(pieces) && isOwn && !scan.hasCancelled;
}

function tally(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionTally | undefined {
  const { rollouts } = source.locator as Locator;
  const pieces = piecesOf(rollouts, env);
  const scan = scanOf(pieces, notes);
  const head = headOf(source, scan);
  if (!head) return undefined;
  return {
    head,
    messageCount: scan.messageCount,
    turnCount: scan.turnCount,
    usage: scan.usage,
    ...originsOf(pieces),
  };
}

function tallyInto(source: SessionSource, env: AgentEnv, notes: ReadNotes, rows: UsageRows): SessionCounts | undefined {
  const { rollouts, name } = source.locator as Locator;
  const counted = countQuickly(rollouts, name, env, rows);
  if (counted) return counted.counts;
  const { usage, ...counts } = tally(source, env, notes) ?? {};
  for (const record of usage ?? []) rows.add(record);
  return usage && (counts as SessionCounts);
}

function billInto(source: SessionSource, env: AgentEnv, _notes: ReadNotes, rows: UsageRows): SessionBill | undefined {
  const { rollouts } = source.locator as Locator;
  return wholeOrPieces<SessionBill>(rollouts, env, (pieces) => {
    const { head, continues } = billThread(pieces, rows) ?? {};
    if (continues) return { continues };
    return head && { head, ...originsOf(pieces) };
  });
}

/** Undefined when it must be read record by record. */
function countQuickly(
  rollouts: readonly RolloutFile[],
  name: string | undefined,
  env: AgentEnv,
  rows: UsageRows,
): { counts?: SessionCounts | undefined } | undefined {
  return wholeOrPieces(rollouts, env, (pieces) => {
    const counted = countThread(pieces, name, rows);
    return counted?.counts ? { counts: { ...counted.counts, ...originsOf(pieces) } } : counted;
  });
}

/** Tries a thread's only file by itself and, if that begins in others, together with those. */
function wholeOrPieces<Found extends object>(
  rollouts: readonly RolloutFile[],
  env: AgentEnv,
  attempt: (pieces: readonly Piece[]) => Found | { continues?: Json } | undefined,
): Found | undefined {
  const [file] = rollouts;
  if (rollouts.length > 1 || !isPlain(file!)) return undefined;
  try {
    const alone = attempt([wholePiece(file!)]);
    if (!alone || !("continues" in alone)) return alone as Found | undefined;
    const pieces = piecesOf(rollouts, env, alone.continues);
    return pieces.every((piece) => isPlain(piece.file)) ? (attempt(pieces) as Found | undefined) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    // Who reads it record by record tells that it cannot be read.
    return undefined;
  }
}

function wholePiece(file: RolloutFile): Piece {
  return { file, inherited: false, continues: false, end: UNLIMITED };
}

function isPlain({ document, compressed }: RolloutFile): boolean {
  return !document && !compressed;
}

function originsOf(pieces: readonly Piece[]): { origins?: SessionOrigins } {
  const files = pieces.filter(({ inherited }) => inherited).map(({ file }) => file.path);
  const incomplete = pieces.some(({ lacksBase }) => lacksBase);
  if (files.length === 0 && !incomplete) return {};
  return { origins: incomplete ? { files, incomplete } : { files } };
}

function scanOf(pieces: readonly Piece[], notes: ReadNotes): ThreadScan {
  const scan = new ThreadScan("events");
  countEntries(pieces, scan, notes);
  scan.end();
  if (!scan.needsItems) return scan;
  const again = new ThreadScan("items");
  countEntries(pieces, again);
  again.end();
  return again;
}

/** Undefined when there is no conversation; PARSE_ERROR when there is something and none of it is a record. */
function headOf(source: SessionSource, scan: ThreadScan): SessionHead | undefined {
  const { rollouts, name } = source.locator as Locator;
  if (scan.recordCount === 0 && rollouts.some(hasContent)) {
    throw new AgentMuxError("PARSE_ERROR", `No Codex session record can be read from ${source.path}.`);
  }
  if (!scan.hasConversation) return undefined;
  return scan.facts.head(name, rollouts.at(-1)!.archived, true);
}

function isSingle([piece, ...others]: readonly Piece[]): boolean {
  return others.length === 0 && !piece!.continues && isPlain(piece!.file);
}

function* messagesOf(entries: Iterable<Entry>, scan: ThreadScan): Generator<SessionMessage> {
  for (const { message } of placedIn(entries, scan)) yield message;
}

function* placedIn(entries: Iterable<Entry>, scan: ThreadScan): Generator<Placed> {
  const transcript = new Transcript({ prompts: scan.prompts, countOnly: false });
  for (const entry of entries) if (scan.isShown(entry)) yield* transcript.take(entry);
  yield* transcript.release();
}

function readOn(source: SessionSource, { state }: GrowthPoint): GrownReader | undefined {
  const file = (source.locator as Locator).rollouts[0]!;
  const point = state as ThreadPoint;
  const scan = scanFrom(file, point);
  return (
    scan && {
      messages: () => messagesOf(entriesFrom(file, point), scan),
      growthPoint: () => growthPointOf(scan, point.threadId),
    }
  );
}

function* nativeRecords(file: RolloutFile): Generator<unknown> {
  for (const { record } of recordsOf(file)) yield record.object;
}
