/**
 * Counts and bill of a thread in one pass over its bytes: the scanner's module does it all by itself
 * (wasm/codex/thread.ts), and only the header and the first prompt are looked at here. It gives up at anything that is not
 * quite ordinary; then the thread is read as `thread-scan.ts` reads it, with which it has to agree.
 */
import { asObject, asText, asTime, type Json } from "../../lib/fields.ts";
import { END } from "../../lib/json-lines.ts";
import type { SessionCounts, SessionHead } from "../adapter.ts";
import type { PackedBill } from "../packed-rows.ts";
import { MAX_STAGED, RowStage, type StagingModule } from "../staged-rows.ts";
import type { UsageRows } from "../usage-rows.ts";
import { headOf } from "./thread-head.ts";
import type { Piece } from "./thread-pieces.ts";
import { FACTS, FILE_HEADER, PROMPT, promptOf, TEXTS, ThreadScanner } from "./thread-scanner.ts";
import { STANDARD_TIERS } from "./thread-stream.ts";

const PIECE_END = 8;
const PARENT = TEXTS + 8;
/** As many as the module remembers. */
const MAX_ANCESTORS = 64;

let shared: ThreadCount | undefined;

/**
 * Of the files of other threads it begins with and its own one. Undefined when it gives up, and nothing was added.
 * `counts` is undefined when there is no conversation; `continues`: the own file, whose header it is, begins in another
 * one, which is not among the pieces. Throws when a file cannot be opened or read.
 */
export function countThread(pieces: readonly Piece[], name: string | undefined, rows: UsageRows): Counted | undefined {
  return threadCount().count(pieces, name, rows);
}

export interface Counted {
  counts?: SessionCounts | undefined;
  continues?: Json;
}

/** What it bills, with what a bill needs of its head; as `countThread`. Undefined when it takes more than that to tell. */
export function billThread(pieces: readonly Piece[], rows: UsageRows): Billed | undefined {
  return threadCount().bill(pieces, rows);
}

export interface Billed {
  head?: SessionHead;
  continues?: Json;
}

/** The scanner that packs rows of threads it counts. */
export function threadCount(): ThreadCount {
  shared ??= new ThreadCount();
  return shared;
}

class ThreadCount extends ThreadScanner {
  #stage: RowStage | undefined;

  /**
   * Packs the row of a thread, and adds its requests. Undefined, and nothing was added, when anything is out of the ordinary.
   * `continues` as in `count`.
   */
  pack(pieces: readonly Piece[], rows: UsageRows): PackedBill | { continues: Json } | undefined {
    const { exports } = this;
    for (let index = 0; index < pieces.length; index++) {
      const { file, inherited, continues, end } = pieces[index]!;
      if (index === 0) this.open(file.path, 0);
      else this.openNext(file.path);
      try {
        if (index === 0) exports.startThread(1);
        exports.startPiece(inherited ? 1 : 0, continues ? 1 : 0, end.ordinal);
        if (this.#next() !== FILE_HEADER) return undefined;
        if (exports.noteHeader(index === 0 ? 1 : 0, continues ? 1 : 0) === 0) {
          const base = continues ? undefined : this.baseOfHeader();
          return base && { continues: base };
        }
        let state = this.#next();
        for (; state === PROMPT; state = this.#next()) if (exports.noteTitle() === 0) return undefined;
        if (state !== END) return undefined;
      } finally {
        this.close();
      }
    }
    const { threadId, archived } = pieces.at(-1)!.file;
    exports.endThread();
    if (exports.messageCount() === 0 || exports.requestCount() > MAX_STAGED) return undefined;
    this.look();
    if (!this.isPacked(exports.packCounted, threadId, archived)) return undefined;
    this.#putRequests(rows);
    const head: SessionHead = { title: "" };
    const startedMs = this.doubles[FACTS >> 3]!;
    const parentId = this.notedText(PARENT);
    if (!Number.isNaN(startedMs)) head.createdMs = head.startedMs = startedMs;
    if (parentId !== undefined) head.parentId = parentId;
    return { head, placed: true, packed: true };
  }

  count(pieces: readonly Piece[], name: string | undefined, rows: UsageRows): Counted | undefined {
    const { exports } = this;
    let header: Json | undefined;
    let firstPrompt: string | undefined;
    let ownPrompt: string | undefined;
    for (const [index, piece] of pieces.entries()) {
      if (index === 0) this.open(piece.file.path, 0);
      else this.openNext(piece.file.path);
      try {
        if (index === 0) exports.startThread(name === undefined ? 1 : 0);
        exports.startPiece(piece.inherited ? 1 : 0, piece.continues ? 1 : 0, piece.end.ordinal);
        for (let state = this.#next(); state !== END; state = this.#next()) {
          if (state === FILE_HEADER) {
            header = this.begin();
            if (header === undefined) return undefined;
            if (header["history_base"] !== undefined && !piece.continues) return { continues: header };
          } else if (state === PROMPT) {
            const prompt = promptOf(this.line());
            if (prompt === undefined) return undefined;
            firstPrompt ??= prompt;
            if (exports.isPromptCopied() === 0) ownPrompt ??= prompt;
          } else return undefined;
        }
      } finally {
        this.close();
      }
    }
    const { file } = pieces.at(-1)!;
    exports.endThread();
    if (header === undefined || (exports.promptCount() === 0 && exports.userItems() === 1)) return undefined;
    if (exports.ancestorCount() > MAX_ANCESTORS) return undefined;
    if (exports.messageCount() === 0) return { counts: undefined };
    // More than it holds: then they are read one by one.
    if (!this.#putRequests(rows)) return undefined;
    const head = headOf({
      header,
      title: name ?? ownPrompt ?? firstPrompt,
      updatedMs: exports.lastOwnTime(),
      model: this.mostUsedModel(),
      cwd: undefined,
      archived: file.archived,
      ancestors: this.ancestors(),
      hasCopies: exports.hasCopies() === 1,
      usageUnknown: exports.replied() === 1 && exports.countsSeen() === 0,
    });
    return { counts: { head, messageCount: exports.messageCount(), turnCount: exports.turnCount() } };
  }

  bill(pieces: readonly Piece[], rows: UsageRows): Billed | undefined {
    const { exports } = this;
    let header: Json | undefined;
    for (const [index, piece] of pieces.entries()) {
      if (index === 0) this.open(piece.file.path, 0);
      else this.openNext(piece.file.path);
      try {
        if (index === 0) exports.startThread(0);
        exports.startPiece(piece.inherited ? 1 : 0, piece.continues ? 1 : 0, piece.end.ordinal);
        for (let state = this.#nextBilled(); state !== END; state = this.#nextBilled()) {
          header = state === FILE_HEADER ? this.begin() : undefined;
          if (header === undefined) return undefined;
          if (header["history_base"] !== undefined && !piece.continues) return { continues: header };
        }
      } finally {
        this.close();
      }
    }
    // Of one that was answered without being billed, all must be known.
    if (header === undefined || exports.hasTalked() === 0 || exports.requestCount() === 0) return undefined;
    // More than it holds: then they are read one by one.
    if (!this.#putRequests(rows)) return undefined;
    const head: SessionHead = { title: "" };
    const startedMs = asTime(header["timestamp"]);
    const cwd = asText(header["cwd"]);
    const branch = asText(asObject(header["git"])?.["branch"]);
    if (startedMs !== undefined) head.createdMs = head.startedMs = startedMs;
    if (cwd !== undefined) head.cwd = cwd;
    if (branch !== undefined) head.branch = branch;
    return { head };
  }

  #nextBilled(): number {
    const state = this.advance(this.exports.nextBilled);
    return state === PIECE_END ? END : state;
  }

  #next(): number {
    const state = this.advance(this.exports.nextCounted);
    return state === PIECE_END ? END : state;
  }

  #putRequests(rows: UsageRows): boolean {
    this.#stage ??= new RowStage(this);
    const { exports } = this;
    const count = exports.requestCount();
    if (!this.#stage.begin(rows, count)) return false;
    for (let asked = exports.packRequests(); asked !== 0; asked = exports.packRequests())
      this.#stage.answer(rows, asked);
    rows.length += count;
    // Memory may have grown.
    this.look();
    return true;
  }

  get stageExports(): StagingModule {
    return this.exports;
  }

  textOfWord(word: number): string {
    return this.wordText(word);
  }

  modifiersOfWords(tier: number): readonly string[] {
    const name = this.wordText(tier);
    return STANDARD_TIERS.has(name) ? [] : [name];
  }
}
