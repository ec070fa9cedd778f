/**
 * The records of a rollout without parsing most of them: a WebAssembly module (wasm/codex-records.as.ts) checks every line
 * where it lies and gives rows of numbers. Records nothing is taken from are only counted; a line it is not sure about is
 * read as `rollout-reader.ts` reads all of them.
 */
import type { Json } from "../../lib/fields.ts";
import type { JsonLinesExports } from "../../lib/json-lines-exports.ts";
import { END, JsonLines } from "../../lib/json-lines.ts";
import type { PackingExports } from "../packed-rows.ts";
import type { StageExports } from "../staged-rows.ts";
import { IDLE_EVENTS, IDLE_ITEMS } from "./record-types.ts";
import { RolloutRecord, typeName } from "./rollout-record.ts";
import { CODEX_RECORDS_WASM } from "./rollout-scan.gen.ts";

const TOTAL = ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"];
const REQUEST = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
];
/** In the order of wasm/codex/fields.ts. */
const FIELDS = [
  { path: "type", as: "word" as const },
  { path: "timestamp", as: "time" as const },
  { path: "ordinal" },
  { path: "payload" },
  { path: "payload.type", as: "word" as const },
  { path: "payload.item" },
  { path: "payload.item.type", as: "word" as const },
  { path: "payload.thread_id" },
  { path: "payload.response_id" },
  { path: "payload.info", as: "figures" as const },
  ...REQUEST.map((name) => ({ path: `payload.info.last_token_usage.${name}` })),
  ...TOTAL.map((name) => ({ path: `payload.info.total_token_usage.${name}` })),
  ...REQUEST.map((name) => ({ path: `payload.usage.${name}` })),
  ...TOTAL.map((name) => ({ path: `payload.thread_token_usage.${name}` })),
  { path: "payload.role", as: "word" as const },
  { path: "metadata" },
  { path: "payload.error" },
  { path: "payload.id" },
  { path: "payload.cwd", as: "word" as const },
  { path: "payload.timestamp", as: "time" as const },
  { path: "payload.cli_version", as: "word" as const },
  { path: "payload.git.branch", as: "word" as const },
  { path: "payload.forked_from_id" },
  { path: "payload.parent_thread_id" },
  { path: "payload.source" },
  { path: "payload.history_base" },
  { path: "payload.turn_id" },
  { path: "payload.model", as: "word" as const },
  { path: "payload.kind", as: "word" as const },
  { path: "payload.thread_settings.service_tier", as: "word" as const },
  { path: "payload.action.type", as: "word" as const },
  { path: "payload.message" },
  { path: "payload.source.subagent" },
  { path: "payload.source.subagent.thread_spawn.parent_thread_id" },
];
const CONTENT_FIELDS = [
  { path: "payload.item.content[].type", as: "word" as const },
  { path: "payload.item.content[].text" },
];
const FIGURES = ["payload.usage", "payload.thread_token_usage"].map((path) => ({ path, as: "figures" as const }));
const WORDS = [
  "event_msg",
  "response_item",
  "item_completed",
  "token_count",
  "token_usage_record",
  "session_meta",
  "message",
  "task_complete",
  "turn_complete",
  "user",
  "assistant",
  "plain",
  "search",
  "codex-auto-review",
  "text",
];
const [IDLE_EVENT, IDLE_ITEM] = [1, 2];

// As in wasm/codex/rows.ts.
const ROW_BYTES = 144;
const [PLAIN, COUNT, EMPTY_COUNT, , MESSAGE, TURN_END] = [0, 1, 2, 3, 4, 5];
const FULL = 8;
const FLAGS = 12;
/** More than there are words: three of them make one key. */
const WORD_RANGE = 8192;

export interface RolloutExports extends JsonLinesExports, PackingExports, StageExports {
  setWord(word: number, number: number): void;
  setIdle(word: number, flag: number): void;
  start(mayPassOver: number): void;
  nextOdd(): number;
  takeRowsAway(): void;
  takePassedAway(): void;
  rowCount(): number;
  rowsAt(): number;
  passedCount(): number;
  lastPassedTime(): number;
  // For who only counts a thread (thread-count.ts).
  setClass(table: number, word: number, value: number): void;
  startThread(forTitle: number): void;
  startPiece(isInherited: number, recordsOnly: number, endOrdinal: number): void;
  beginThread(startedMs: number, descends: number): void;
  nextCounted(): number;
  nextBilled(): number;
  nextOwn(): number;
  scanHead(head: number, headEnd: number, tail: number, tailEnd: number, whole: number): number;
  scanCutHead(head: number, headEnd: number, tail: number, tailEnd: number, whole: number): number;
  goOnHead(): number;
  titleText(): number;
  packHead(id: number, idLength: number, title: number, titleLength: number, isArchived: number): number;
  noteHeader(isFirst: number, continues: number): number;
  noteTitle(): number;
  noteOwnPrompt(updatedMs: number, tailModel: number): number;
  packCounted(id: number, idLength: number, title: number, titleLength: number, isArchived: number): number;
  hasTalked(): number;
  endThread(): void;
  isPromptCopied(): number;
  promptCount(): number;
  userItems(): number;
  messageCount(): number;
  turnCount(): number;
  modelCount(): number;
  replied(): number;
  latestModel(): number;
  lastOwnTime(): number;
  countsSeen(): number;
  hasCopies(): number;
  ancestorCount(): number;
  ancestorAt(index: number): number;
  ancestorLengthAt(index: number): number;
  textPool(): number;
  textEnd(): number;
  requestCount(): number;
  packRequests(): number;
}

/** Whoever gets the records. `take` answers whether to go on. */
export interface RecordSink {
  /** Valid until it returns, as far as it was not parsed. */
  take(record: RolloutRecord, offset: number): boolean;
  /** Records that only count, and the time of the last of them. */
  pass(count: number, lastMs: number): void;
  /** A line that is no record. */
  damage(): void;
}

let shared: RolloutScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function rolloutScan(): RolloutScan {
  shared ??= new RolloutScan();
  return shared;
}

export class RolloutScan extends JsonLines<RolloutExports> {
  readonly #types = new Map<number, string>();
  #sink: RecordSink | undefined;
  #goesOn = true;
  /** Of which the module has a copy. */
  #source: Buffer | undefined;

  constructor() {
    super([...FIELDS, ...CONTENT_FIELDS, ...FIGURES], [], CODEX_RECORDS_WASM);
    WORDS.forEach((word, index) => this.exports.setWord(index, this.wordId(word)));
    for (const event of IDLE_EVENTS) this.exports.setIdle(this.wordId(event), IDLE_EVENT!);
    for (const item of IDLE_ITEMS) this.exports.setIdle(this.wordId(item), IDLE_ITEM!);
  }

  /** All records in order. Throws when the file cannot be opened or read. `mayPassOver`: idle ones need not be told. */
  read(path: string, mayPassOver: boolean, sink: RecordSink): void {
    // No ids are asked for, so the size of their table does not matter.
    this.open(path, 0);
    try {
      this.#run(mayPassOver, sink);
    } finally {
      this.close();
    }
  }

  /** The records in bytes that stay where they are. False when they are more than it holds, and nothing was given. */
  readBytes(bytes: Buffer, sink: RecordSink): boolean {
    if (!this.openBytes(bytes)) return false;
    this.#source = bytes;
    try {
      this.#run(true, sink);
    } finally {
      this.#source = undefined;
      this.close();
    }
    return true;
  }

  #run(mayPassOver: boolean, sink: RecordSink): void {
    this.exports.start(mayPassOver ? 1 : 0);
    this.look();
    this.#sink = sink;
    this.#goesOn = true;
    while (this.#goesOn && this.advance(this.#step) !== END) {
      this.#takeRows();
      if (!this.#goesOn) break;
      this.#takePassed();
      const bytes = this.#source === undefined ? this.line() : Buffer.from(this.line());
      const record = RolloutRecord.fromLine({ bytes, offset: 0, complete: this.complete });
      if (record === undefined) sink.damage();
      else this.#goesOn = sink.take(record, this.lineOffset);
    }
    if (this.#goesOn) this.#takePassed();
    this.#sink = undefined;
  }

  /** Rows point at bytes that are gone when more are read. */
  readonly #step = (): number => {
    for (;;) {
      const state = this.exports.nextOdd();
      this.look();
      if ((state & ~FLAGS) !== END) return state;
      this.#takeRows();
      if (!this.#goesOn) return ENOUGH;
      if ((state & FULL) === 0) return state;
    }
  };

  #takeRows(): void {
    const count = this.exports.rowCount();
    const first = this.exports.rowsAt();
    for (let i = 0; i < count && this.#goesOn; i++) this.#takeRow(first + i * ROW_BYTES);
    this.exports.takeRowsAway();
  }

  #takeRow(address: number): void {
    const { ints, doubles } = this;
    const int = address >> 2;
    const double = address >> 3;
    const sink = this.#sink!;
    const passed = ints[int + 10]!;
    if (passed > 0) sink.pass(passed, doubles[double + 6]!);
    const start = ints[int]!;
    const end = ints[int + 1]!;
    const kind = ints[int + 2]!;
    const ordinal = doubles[double + 8]!;
    const isMessage = kind === MESSAGE;
    const item = isMessage ? 0 : ints[int + 5]!;
    const hasLine = kind === PLAIN || isMessage;
    const record = RolloutRecord.scanned({
      type: this.#typeOf(ints[int + 3]!, ints[int + 4]!, item),
      timestamp: doubles[double + 7]!,
      ordinal: Number.isNaN(ordinal) ? undefined : ordinal,
      itemThread: item === 0 ? undefined : this.#text(int + 6),
      role: isMessage ? this.wordText(ints[int + 5]!) : undefined,
      payload: hasLine ? undefined : this.#counts(kind, int, double),
      line: hasLine ? this.#lineFrom(start, end) : undefined,
    });
    this.#goesOn = sink.take(record, this.offsetOf(start));
  }

  #lineFrom(start: number, end: number): () => Buffer {
    const source = this.#source;
    if (source === undefined) return () => this.bytes.subarray(start, end);
    const from = this.offsetOf(start);
    return () => source.subarray(from, from + end - start);
  }

  #typeOf(type: number, inner: number, item: number): string {
    const key = (type * WORD_RANGE + inner) * WORD_RANGE + item;
    let name = this.#types.get(key);
    if (name === undefined) {
      name = typeName(
        this.wordText(type),
        inner === 0 ? undefined : this.wordText(inner),
        item === 0 ? undefined : this.wordText(item),
      );
      this.#types.set(key, name);
    }
    return name;
  }

  /** What `token-usage.ts` asks for. */
  #counts(kind: number, int: number, double: number): Json {
    if (kind === EMPTY_COUNT || kind === TURN_END) return {};
    const { doubles } = this;
    const request = {
      input_tokens: doubles[double + 9]!,
      cached_input_tokens: doubles[double + 10]!,
      cache_write_input_tokens: doubles[double + 11]!,
      output_tokens: doubles[double + 12]!,
      reasoning_output_tokens: doubles[double + 13]!,
    };
    const total = {
      input_tokens: doubles[double + 14]!,
      cached_input_tokens: doubles[double + 15]!,
      output_tokens: doubles[double + 16]!,
      reasoning_output_tokens: doubles[double + 17]!,
    };
    if (kind === COUNT) return { info: { last_token_usage: request, total_token_usage: total } };
    return {
      thread_id: this.#text(int + 6),
      response_id: this.#text(int + 8),
      usage: request,
      thread_token_usage: total,
    };
  }

  #text(place: number): string | undefined {
    const start = this.ints[place]!;
    const end = this.ints[place + 1]!;
    return start === end ? undefined : this.stringAt(start, end - start);
  }

  #takePassed(): void {
    const count = this.exports.passedCount();
    if (count === 0) return;
    this.#sink!.pass(count, this.exports.lastPassedTime());
    this.exports.takePassedAway();
  }
}

/** Stops the reading: anything but END. */
const ENOUGH = 1;
