/**
 * Counts and bill of a thread in one pass over its bytes: the scanner's module does it all by itself
 * (wasm/codex/thread.ts), and only the header and the first prompt are looked at here. It gives up at anything that is not
 * quite ordinary; then the thread is read as `thread-scan.ts` reads it, with which it has to agree.
 */
import { asObject, asText, asTime, type Json } from "../../lib/fields.ts";
import type { FileEnds } from "../../lib/file-ends.ts";
import { END, NULL, OBJECT, STRING } from "../../lib/json-lines.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import { optional } from "../../lib/optional.ts";
import type { Texts } from "../../lib/texts.ts";
import type { SessionCounts, SessionHead } from "../adapter.ts";
import { COPIED, type UsageRows } from "../usage-rows.ts";
import { uuidTime } from "./copied-history.ts";
import { promptText } from "./prompt-text.ts";
import { IGNORED_ITEMS, IGNORED_TYPES, IDLE_EVENTS, IDLE_ITEMS } from "./record-types.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { RolloutRecord } from "./rollout-record.ts";
import { RolloutScan } from "./rollout-scan.ts";
import { headOf } from "./thread-head.ts";
import type { Piece } from "./thread-pieces.ts";
import { STANDARD_TIERS } from "./thread-stream.ts";

/** In the order of wasm/codex/thread.ts: what the types of records, events, completed items and response items mean. */
const CLASSES: Record<string, number>[] = [
  {
    ...all(IGNORED_TYPES, 1),
    session_meta: 2,
    turn_context: 3,
    token_usage_record: 4,
    event_msg: 5,
    response_item: 6,
  },
  {
    ...all(IDLE_EVENTS, 1),
    ...all(["task_started", "turn_started"], 2),
    user_message: 3,
    token_count: 4,
    ...all(["task_complete", "turn_complete"], 5),
    item_completed: 6,
    thread_settings_applied: 7,
  },
  { ...all(IDLE_ITEMS, 1), UserMessage: 2 },
  {
    ...all(IGNORED_ITEMS, 1),
    message: 2,
    reasoning: 3,
    ...all(["function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "image_generation_call"], 4),
    web_search_call: 5,
    ...all(["function_call_output", "custom_tool_call_output", "tool_search_output"], 6),
  },
];

function all(types: readonly string[], value: number): Record<string, number> {
  return Object.fromEntries(types.map((type) => [type, value]));
}

const PROMPT = 1;
const FILE_HEADER = 2;
const PIECE_END = 8;
const REQUEST_BYTES = 96;
const COPIED_REQUEST = 1;
const MODELS = 16_136;
/** As many as the module remembers. */
const MAX_ANCESTORS = 64;

let shared: ThreadCount | undefined;

/**
 * Of the files of other threads it begins with and its own one. Undefined when it gives up, and nothing was added.
 * `counts` is undefined when there is no conversation; `continues`: the own file begins in another one, which is not
 * among the pieces. Throws when a file cannot be opened or read.
 */
export function countThread(pieces: readonly Piece[], name: string | undefined, rows: UsageRows): Counted | undefined {
  shared ??= new ThreadCount();
  return shared.count(pieces, name, rows);
}

export interface Counted {
  counts?: SessionCounts | undefined;
  continues?: boolean;
}

/** What it bills, with what a bill needs of its head; as `countThread`. Undefined when it takes more than that to tell. */
export function billThread(pieces: readonly Piece[], rows: UsageRows): Billed | undefined {
  shared ??= new ThreadCount();
  return shared.bill(pieces, rows);
}

export interface Billed {
  head?: SessionHead;
  continues?: boolean;
}

/**
 * The head of a thread from the first and last lines of its only file. Undefined when they do not tell: the file holds
 * copies, or something that is not quite ordinary, or its first prompt comes late.
 */
export function quickHead(file: RolloutFile, size: number, name: string | undefined): SessionHead | undefined {
  shared ??= new ThreadCount();
  return shared.head(file, size, name);
}

/** Instructions before the first prompt fill some kilobytes, or some ten. */
const HEAD_BYTES = [16 * 1024, 96 * 1024];
const TAIL_BYTES = 8 * 1024;
/** The first prompt is not among the first lines that were read. */
const LATER = Symbol("later");
const CONTEXT_MARK = Buffer.from('"type":"turn_context"');
const LINE_FEED = 10;

class ThreadCount extends RolloutScan {
  #textsOf: Texts | undefined;
  #textNumbers: number[] = [0];
  readonly #fields = ["id", "timestamp", "cwd", "cli_version", "forked_from_id"].map(
    (name) => [name, this.field(`payload.${name}`)] as const,
  );
  readonly #branch = this.field("payload.git.branch");
  readonly #source = this.field("payload.source");
  readonly #unusual = [this.field("payload.parent_thread_id"), this.field("payload.history_base")];

  constructor() {
    super();
    CLASSES.forEach((classes, table) => {
      for (const [type, value] of Object.entries(classes)) this.exports.setClass(table, this.wordId(type), value);
    });
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
            header = this.#begin();
            if (header === undefined) return undefined;
            if (header["history_base"] !== undefined && !piece.continues) return { continues: true };
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
    this.#putRequests(rows);
    const head = headOf({
      header,
      title: name ?? ownPrompt ?? firstPrompt,
      updatedMs: exports.lastOwnTime(),
      model: this.#mostUsedModel(),
      cwd: undefined,
      archived: file.archived,
      ancestors: this.#ancestors(),
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
          header = state === FILE_HEADER ? this.#begin() : undefined;
          if (header === undefined) return undefined;
          if (header["history_base"] !== undefined && !piece.continues) return { continues: true };
        }
      } finally {
        this.close();
      }
    }
    // Of one that was answered without being billed, all must be known.
    if (header === undefined || exports.hasTalked() === 0 || exports.requestCount() === 0) return undefined;
    this.#putRequests(rows);
    const startedMs = asTime(header["timestamp"]);
    return {
      head: {
        title: "",
        ...optional("createdMs", startedMs),
        ...optional("startedMs", startedMs),
        ...optional("cwd", asText(header["cwd"])),
        ...optional("branch", asText(asObject(header["git"])?.["branch"])),
      },
    };
  }

  #nextBilled(): number {
    const state = this.advance(this.exports.nextBilled);
    return state === PIECE_END ? END : state;
  }

  #next(): number {
    const state = this.advance(this.exports.nextCounted);
    return state === PIECE_END ? END : state;
  }

  head(file: RolloutFile, size: number, name: string | undefined): SessionHead | undefined {
    for (const bytes of HEAD_BYTES) {
      if (size <= bytes + TAIL_BYTES) return undefined;
      const ends = this.readEnds(file.path, size, bytes, TAIL_BYTES);
      const found = this.#headIn(ends, file, name);
      if (found !== LATER) return found;
    }
    return undefined;
  }

  #headIn(ends: FileEnds, file: RolloutFile, name: string | undefined): SessionHead | undefined | typeof LATER {
    const { exports } = this;
    if (ends.headEnd === ends.head) return LATER;
    this.openRange(ends.head, ends.headEnd);
    exports.startThread(1);
    exports.startPiece(0, 0, Number.POSITIVE_INFINITY);
    if (this.advance(exports.nextCounted) !== FILE_HEADER) return undefined;
    const header = this.#begin();
    if (header === undefined) return undefined;
    const state = this.advance(exports.nextCounted);
    if (state !== PROMPT) return state === END ? LATER : undefined;
    if (exports.isPromptCopied() === 1 || exports.hasCopies() === 1) return undefined;
    const model = exports.latestModel() === 0 ? undefined : this.wordText(exports.latestModel());
    const title = name ?? promptOf(this.line());
    const tail = this.bytes.subarray(ends.tail, ends.tailEnd);
    const updatedMs = lastTimeIn(tail);
    if (title === undefined || updatedMs === undefined) return undefined;
    return headOf({
      header,
      title,
      updatedMs,
      model: lastModelIn(tail) ?? model,
      cwd: undefined,
      archived: file.archived,
      ancestors: [],
      hasCopies: false,
      usageUnknown: false,
    });
  }

  /** Takes the header; undefined when where it lies is told somewhere else. */
  #begin(): Json | undefined {
    const header = this.#header();
    if (!header?.["cwd"]) return undefined;
    const isSubagent = (header["source"] as Json | undefined)?.["subagent"] != null;
    const startedMs = uuidTime(String(header["id"])) || (asTime(header["timestamp"]) ?? 0);
    this.exports.beginThread(startedMs, isSubagent || header["forked_from_id"] != null ? 1 : 0);
    return header;
  }

  /** The facts of the header; of one that holds more than most, all of it. */
  #header(): Json | undefined {
    let isUnusual = this.kind(this.#source) === OBJECT || this.#unusual.some((field) => this.kind(field) > NULL);
    const header: Json = {};
    for (const [name, field] of this.#fields) {
      const kind = this.kind(field);
      if (kind === STRING) header[name] = this.text(field);
      else if (kind > NULL) isUnusual = true;
    }
    const branch = this.kind(this.#branch);
    if (branch === STRING) header["git"] = { branch: this.text(this.#branch) };
    else if (branch > NULL) isUnusual = true;
    return isUnusual ? (parseRecord(this.line())?.["payload"] as Json | undefined) : header;
  }

  #mostUsedModel(): string | undefined {
    this.look();
    let best = 0;
    let most = 0;
    for (let i = 0; i < this.exports.modelCount(); i++) {
      const place = (MODELS >> 2) + 2 * i;
      if (this.ints[place + 1]! >= most) [best, most] = [this.ints[place]!, this.ints[place + 1]!];
    }
    const model = best === 0 ? this.exports.latestModel() : best;
    return model === 0 ? undefined : this.wordText(model);
  }

  #ancestors(): string[] {
    const { exports } = this;
    this.look();
    const pool = exports.textPool();
    const ids = Array.from({ length: exports.ancestorCount() }, (_, index) =>
      this.textAt(pool + exports.ancestorAt(index), exports.ancestorLengthAt(index)),
    );
    return [...new Set(ids)];
  }

  #putRequests(rows: UsageRows): void {
    this.look();
    const { ints, doubles } = this;
    const pool = this.exports.textPool();
    const keys = rows.addKeys(this.bytes.subarray(pool, pool + this.exports.textEnd()));
    const first = this.exports.requestsAt();
    if (this.#textsOf !== rows.texts) {
      this.#textsOf = rows.texts;
      this.#textNumbers = [0];
    }
    for (let i = 0; i < this.exports.requestCount(); i++) {
      const int = (first + i * REQUEST_BYTES) >> 2;
      const double = int >> 1;
      const row = rows.begin(keys + ints[int]!, ints[int + 1]!, ints[int + 5]!);
      rows.at[row] = doubles[double + 3]!;
      rows.input[row] = doubles[double + 4]!;
      rows.cached[row] = doubles[double + 5]!;
      rows.cacheWrite[row] = doubles[double + 6]!;
      rows.cacheWrite1h[row] = 0;
      rows.output[row] = doubles[double + 7]!;
      rows.thinking[row] = doubles[double + 8]!;
      rows.webSearches[row] = doubles[double + 9]!;
      rows.reported[row] = Number.NaN;
      rows.flags[row] = (ints[int + 2]! & COPIED_REQUEST) === 0 ? 0 : COPIED;
      rows.model[row] = this.#textNumber(ints[int + 3]!);
      rows.cwd[row] = 0;
      rows.branch[row] = 0;
      rows.subagent[row] = 0;
      rows.modifiers[row] = this.#modifiers(rows, ints[int + 4]!);
    }
  }

  /** The number a word has among the texts of the rows. */
  #textNumber(word: number): number {
    let number = this.#textNumbers[word];
    if (number === undefined) this.#textNumbers[word] = number = this.#textsOf!.numberOf(this.wordText(word));
    return number;
  }

  #modifiers(rows: UsageRows, tier: number): number {
    if (tier === 0) return 0;
    const name = this.wordText(tier);
    return STANDARD_TIERS.has(name) ? 0 : rows.modifiersNumber([name]);
  }
}

/** When the last whole line was written. */
function lastTimeIn(lines: Buffer): number | undefined {
  const end = lines.lastIndexOf(LINE_FEED);
  const start = end <= 0 ? 0 : lines.lastIndexOf(LINE_FEED, end - 1) + 1;
  const beginning = lines.toString("latin1", start, Math.min(end, start + 64));
  const [, time] = /^\{"timestamp":"([^"\\]+)"/.exec(beginning) ?? [];
  return asTime(time);
}

function lastModelIn(lines: Buffer): string | undefined {
  const at = lines.lastIndexOf(CONTEXT_MARK);
  if (at === -1) return undefined;
  const end = lines.indexOf(LINE_FEED, at);
  const [, model] = /"model":"([^"\\]+)"/.exec(lines.toString("latin1", at, end === -1 ? lines.length : end)) ?? [];
  return model;
}

function promptOf(line: Buffer): string | undefined {
  const object = parseRecord(line);
  if (object === undefined) return undefined;
  return promptText({ record: RolloutRecord.fromObject(object), foreign: false, ofSubagent: false }, "events");
}
