/**
 * All records of a thread in order, each with context from earlier records. Counting and building messages both read this stream,
 * so they cannot disagree.
 */
import type { UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { CopiedHistory } from "./copied-history.ts";
import { headerOf, isKnownType, KIND } from "./format.ts";
import { isSearch, modelIn, tierIn, type BilledRequest } from "./format-items.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { recordsOf, type PlacedRecord } from "./rollout-reader.ts";
import type { RolloutRecord } from "./rollout-record.ts";
import { isWithin, UNLIMITED, type Piece } from "./thread-pieces.ts";
import { UsageCounter } from "./token-usage.ts";

export interface Entry {
  record: RolloutRecord;
  /** Of the record in its file. */
  offset: number;
  /** Position in the stream; stable across reads. */
  number: number;
  /** Part of the conversation, not of a rewound branch. */
  shown: boolean;
  /** Written by another thread: in a referenced file, or copied into this one. */
  inherited: boolean;
  /** An item event of another thread: a review's, repeated in its parent's file. */
  foreign: boolean;
  model: string | undefined;
  /** The request this record bills. */
  usage: UsageRecord | undefined;
  /** In an own file, so it is part of the session's usage. */
  ownFile: boolean;
  /** The thread was started by another one, whose messages are its prompts. */
  ofSubagent: boolean;
  /** Its name for other agents, if known. */
  agentPath: string | undefined;
  /** Headers of other threads copied into this file. */
  ancestors: readonly string[];
}

export function* entriesOf(pieces: readonly Piece[], notes?: ReadNotes): Generator<Entry> {
  let number = 0;
  let model: string | undefined;
  const keys = new Set<string>();
  for (const piece of pieces) {
    const state = new FileState(piece, model, keys);
    for (const placed of recordsIn(piece, notes)) {
      if (notes && !isKnownType(placed.record.type)) notes.unknown(placed.record.type || "record without a type");
      yield state.entry(placed, number++);
    }
    ({ model } = state);
  }
}

/** Some records of an own file, for a list. */
export function* entriesOfFile(file: RolloutFile, records: Iterable<RolloutRecord>): Generator<Entry> {
  const piece: Piece = { file, inherited: false, continues: false, end: UNLIMITED };
  const state = new FileState(piece, undefined, new Set());
  let number = 0;
  for (const record of records) yield state.entry({ record, offset: 0 }, number++);
}

/** In stream order: an entry's number is its index here, piece after piece. */
export function* recordsIn(piece: Piece, notes?: ReadNotes): Generator<PlacedRecord> {
  try {
    for (const placed of recordsOf(piece.file, notes)) {
      // What another thread did after the fork does not belong to this one.
      if (piece.inherited && !isWithin(piece, placed.record.ordinal, placed.offset)) return;
      yield placed;
    }
  } catch (error) {
    notes?.skip(piece.file.path, `cannot be read (${String(error)})`);
  }
}

/** Auto-review requests are labelled with a name that is not a model; the model in use makes them. */
const LABELS = new Set(["codex-auto-review"]);
const STANDARD_TIERS = new Set(["default", "auto", "standard"]);

/** Records that name a model, but not the one in use. */
const OTHER_MODELS = new Set<string>([KIND.header, KIND.webSearch]);

function modelAfter(record: RolloutRecord, before: string | undefined): string | undefined {
  const isSettings = record.type === KIND.settings;
  if (!isSettings && (!record.bare || OTHER_MODELS.has(record.type))) return before;
  const model = modelIn(record.payload);
  const isLabel = isSettings && model !== undefined && LABELS.has(model) && before !== undefined;
  return isLabel ? before : (model ?? before);
}

class FileState {
  model: string | undefined;
  readonly #piece: Piece;
  readonly #keys: Set<string>;
  readonly #history = new CopiedHistory();
  readonly #usage: UsageCounter;
  #threadId: string | undefined;
  #tier: string | undefined;
  #webSearches = 0;

  constructor(piece: Piece, model: string | undefined, keys: Set<string>) {
    this.#piece = piece;
    this.model = model;
    this.#keys = keys;
    this.#usage = new UsageCounter(piece.continues);
  }

  entry({ record, offset }: PlacedRecord, number: number): Entry {
    const copied = this.#history.isCopy(record);
    this.#takeSettings(record);
    const request = this.#usage.take(record, this.#history.descends);
    return {
      record,
      offset,
      number,
      shown: isWithin(this.#piece, record.ordinal, offset),
      inherited: this.#piece.inherited || copied,
      foreign: !copied && record.itemThread !== undefined && record.itemThread !== this.#ownThread,
      model: this.model,
      usage: request && this.#usageRecord(request, record, copied, number),
      ownFile: !this.#piece.inherited,
      ofSubagent: this.#history.isSubagent,
      agentPath: this.#history.agentPath,
      ancestors: this.#history.ancestors,
    };
  }

  /** From the file; a file in the documented place may have another name. */
  get #ownThread(): string {
    return this.#threadId ?? this.#piece.file.threadId;
  }

  #takeSettings(record: RolloutRecord): void {
    if (record.type === KIND.header) {
      this.#threadId ??= headerOf(record.payload).id;
    } else if (record.type === KIND.settingsApplied) {
      this.#tier = tierIn(record.payload);
    } else if (record.type === KIND.webSearch && isSearch(record.payload)) this.#webSearches++;
    this.model = modelAfter(record, this.model);
  }

  #usageRecord(
    request: BilledRequest,
    record: RolloutRecord,
    copied: boolean,
    number: number,
  ): UsageRecord | undefined {
    // A sub-agent's request that was also written here is billed in its own file.
    if (!copied && request.threadId !== undefined && request.threadId !== this.#ownThread) return undefined;
    const key = this.#key(request, copied, number);
    if (key === undefined) return undefined;
    const { time } = record;
    const searches = this.#webSearches;
    this.#webSearches = 0;
    const priced = this.#tier !== undefined && !STANDARD_TIERS.has(this.#tier);
    return {
      key,
      tokens: request.tokens,
      ...(time === undefined ? {} : { at: time }),
      ...(this.model === undefined ? {} : { model: this.model }),
      ...(copied ? { copied: true } : {}),
      ...(priced ? { modifiers: [this.#tier!] } : {}),
      ...(searches > 0 ? { webSearches: searches } : {}),
    };
  }

  /** Equal for a request and its copies in other files; undefined if the original's key is unknown. */
  #key({ responseId, total }: BilledRequest, copied: boolean, number: number): string | undefined {
    if (responseId !== undefined) {
      if (this.#keys.has(responseId)) return undefined;
      this.#keys.add(responseId);
      return responseId;
    }
    const { turnId, ancestors } = this.#history;
    // After several copies, a request without turn id may belong to any of the threads.
    if (copied && turnId === undefined && ancestors.length !== 1) return undefined;
    const origin = turnId ?? (copied ? ancestors[0]! : this.#ownThread);
    let key = `${origin}:${total === "" ? number : total}`;
    // Early versions restarted a resumed thread's total at zero, so a total can occur twice.
    while (this.#keys.has(key)) key += "+";
    this.#keys.add(key);
    return key;
  }
}
