/** Accounts of an agent's sessions as segments of the file they are kept in. */
import type { SessionHead } from "../agents/adapter.ts";
import { Texts } from "../lib/texts.ts";
import type { Account } from "./cost/account.ts";
import { KeptIds } from "./kept-ids.ts";
import { KeyColumn, type KeySieve } from "./key-sieve.ts";
import { FileStamps } from "./file-stamps.ts";
import { SpendingTable, type SpendingRange } from "./cost/spending.ts";
import { jsonPart, numbersPart, type Segment } from "./kept-file.ts";

/** What an account holds for: files as they were, prices, and files of other sessions it was read from. */
export interface AccountTerms {
  files: FileStamps;
  prices: string;
  others: [path: string, stamp: string][];
}

export interface KeptAccount extends AccountTerms {
  /** Null: there is no conversation in the files. */
  account: Account | null;
}

interface Facts {
  prices: string[];
  /** By place, where there are any. */
  others: Record<number, [path: string, stamp: string][]>;
  /** Places of sessions whose accounts do not hold any more, and of those without token counts. */
  voids: number[];
  unknown: number[];
  /** How many have spent something. */
  spenders: number;
  texts: string[];
}

/**
 * Whole numbers of each session: prices, what there is of it, messages, turns, end of its sums, end of its keys, token counts
 * are unknown, end of its files' stamps.
 */
const NUMBERS = 8;
const PRICES = 0;
const WHAT = 1;
const SUMS_END = 4;
const KEYS_END = 5;
const STAMPS_END = 7;
const [NOTHING, COUNTED, ONLY_BILLED, VOID] = [0, 1, 2, 3] as const;

/** `stampsOf`: the files of a session whose account does not hold, for a segment that is to have the stamps of all. */
export function accountsSegment(
  name: string,
  kept: ReadonlyMap<string, KeptAccount | null>,
  stampsOf: (id: string) => Float64Array = () => NO_STAMPS,
): Segment {
  const texts = new Texts();
  const facts: Facts = { prices: [], others: {}, voids: [], unknown: [], spenders: 0, texts: [] };
  const { prices } = facts;
  const models: number[][] = [];
  const numbers = new Int32Array(NUMBERS * kept.size);
  const heads: string[] = [];
  const ranges: SpendingRange[] = [];
  const keys: Uint32Array[] = [];
  const stamps: Float64Array[] = [];
  let [index, sumsEnd, keysEnd, stampsEnd] = [0, 0, 0, 0];
  for (const [id, entry] of kept) {
    const own = entry?.files.numbers ?? stampsOf(id);
    stamps.push(own);
    const account = entry?.account;
    if (entry === null) facts.voids.push(index);
    if (entry && !prices.includes(entry.prices)) prices.push(entry.prices);
    if (entry && entry.others.length > 0) facts.others[index] = entry.others;
    models.push(account?.models.map((model) => texts.numberOf(model)) ?? []);
    heads.push(account ? account.headText : "null");
    if (account) {
      const { spending } = account;
      ranges.push(spending);
      keys.push(account.keys);
      sumsEnd += spending.to - spending.from;
      keysEnd += account.keys.length;
      if (spending.to > spending.from) facts.spenders++;
      if (account.usageUnknown) facts.unknown.push(index);
    }
    stampsEnd += own.length;
    numbers.set(
      [
        entry ? prices.indexOf(entry.prices) : 0,
        entry === null ? VOID : account ? (account.isCounted ? COUNTED : ONLY_BILLED) : NOTHING,
        account?.messageCount ?? 0,
        account?.turnCount ?? 0,
        sumsEnd,
        keysEnd,
        account?.usageUnknown ? 1 : 0,
        stampsEnd,
      ],
      NUMBERS * index++,
    );
  }
  const spending = new SpendingTable(texts).packed(ranges, (text) => texts.numberOf(text));
  facts.texts = texts.all();
  const allKeys = joined(keys, (length) => new Uint32Array(length));
  const allStamps = joined(stamps, (length) => new Float64Array(length));
  return {
    name,
    parts: [
      jsonPart(facts),
      jsonPart([...kept.keys()]),
      jsonPart(models),
      Buffer.from(heads.join("\n")),
      numbersPart(numbers),
      numbersPart(spending.doubles),
      numbersPart(spending.words),
      numbersPart(allKeys),
      numbersPart(allStamps),
    ],
  };
}

function joined<Numbers extends { length: number; set(from: Numbers, at: number): void }>(
  parts: readonly Numbers[],
  make: (length: number) => Numbers,
): Numbers {
  const all = make(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Accounts as they lie in a segment; each is looked up when somebody asks: of thousands most are only added up. */
export class AccountSegment {
  readonly ids: KeptIds;
  /** Of all sessions' files, one session's behind the other's. */
  readonly stampBytes: Buffer;
  readonly #stamps: Float64Array;
  readonly #columns: Columns;

  constructor({ parts }: Segment) {
    const [json, ids, models, heads, numberBytes, doubleBytes, wordBytes, keyBytes, stampBytes] = parts as [
      ...[Buffer, Buffer, Buffer, Buffer],
      ...[Buffer, Buffer, Buffer, Buffer, Buffer],
    ];
    const facts = JSON.parse(String(json)) as Facts;
    const doubles = new Float64Array(doubleBytes.buffer, doubleBytes.byteOffset, doubleBytes.length >> 3);
    const words = new Int32Array(wordBytes.buffer, wordBytes.byteOffset, wordBytes.length >> 2);
    const texts = new Texts(facts.texts);
    const length = doubles.length / SpendingTable.doubleColumns;
    this.ids = new KeptIds(ids);
    this.stampBytes = stampBytes;
    this.#stamps = new Float64Array(stampBytes.buffer, stampBytes.byteOffset, stampBytes.length >> 3);
    this.#columns = {
      facts,
      texts,
      numbers: new Int32Array(numberBytes.buffer, numberBytes.byteOffset, numberBytes.length >> 2),
      keys: new Uint32Array(keyBytes.buffer, keyBytes.byteOffset, keyBytes.length >> 2),
      table: new SpendingTable(texts, { length, doubles, words }),
      heads: new HeadTexts(heads),
      models: new ModelLists(models),
    };
  }

  get size(): number {
    return this.#columns.numbers.length / NUMBERS;
  }

  /** Whether all were made with these prices, and no others. */
  isPricedBy(digest: string): boolean {
    return this.#columns.facts.prices.every((prices) => prices === digest);
  }

  /** Places of accounts that do not hold any more, or hold only with other sessions' files as they were. */
  get doubtful(): number[] {
    const { voids, others } = this.#columns.facts;
    return [...voids, ...Object.keys(others).map(Number)];
  }

  /** Places of sessions without token counts. */
  get unknown(): readonly number[] {
    return this.#columns.facts.unknown;
  }

  /** How many have spent something. */
  get spenders(): number {
    return this.#columns.facts.spenders;
  }

  get keyColumn(): KeyColumn {
    const { keys, numbers } = this.#columns;
    return new KeyColumn(this.ids, keys, (index) => numberAt(numbers, index, KEYS_END));
  }

  /** Null: it does not hold any more. */
  entry(index: number): KeptAccount | null {
    const { facts, numbers } = this.#columns;
    if (numberAt(numbers, index, WHAT) === VOID) return null;
    const [from, to] = [endAt(numbers, index - 1, STAMPS_END), endAt(numbers, index, STAMPS_END)];
    return {
      files: new FileStamps(this.#stamps, from, to),
      prices: facts.prices[numberAt(numbers, index, PRICES)]!,
      others: facts.others[index] ?? NONE,
      account: this.account(index),
    };
  }

  /** Null: there is no conversation. */
  account(index: number): Account | null {
    const what = numberAt(this.#columns.numbers, index, WHAT);
    return what === NOTHING || what === VOID ? null : new AccountOnFile(this.#columns, index);
  }

  /** Of all from one up to another, which lie one behind the other. */
  spending(from: number, to: number): SpendingRange {
    const { table, numbers } = this.#columns;
    return { table, from: endAt(numbers, from - 1, SUMS_END), to: endAt(numbers, to - 1, SUMS_END) };
  }
}

/** What accounts of a segment lie in. */
interface Columns {
  facts: Facts;
  texts: Texts;
  numbers: Int32Array;
  keys: Uint32Array;
  table: SpendingTable;
  heads: HeadTexts;
  models: ModelLists;
}

function numberAt(numbers: Int32Array, index: number, column: number): number {
  return numbers[NUMBERS * index + column]!;
}

/** Of a column of ends; 0 before the first. */
function endAt(numbers: Int32Array, index: number, column: number): number {
  return index < 0 ? 0 : numbers[NUMBERS * index + column]!;
}

class AccountOnFile implements Account, SpendingRange {
  readonly #columns: Columns;
  readonly #index: number;

  constructor(columns: Columns, index: number) {
    this.#columns = columns;
    this.#index = index;
  }

  #number(column: number): number {
    return numberAt(this.#columns.numbers, this.#index, column);
  }

  /** Itself: nothing is made for it. */
  get spending(): SpendingRange {
    return this;
  }

  get table(): SpendingTable {
    return this.#columns.table;
  }

  get from(): number {
    return endAt(this.#columns.numbers, this.#index - 1, SUMS_END);
  }

  get to(): number {
    return this.#number(SUMS_END);
  }

  get isCounted(): boolean {
    return this.#number(WHAT) === COUNTED;
  }

  get messageCount(): number {
    return this.#number(2);
  }

  get turnCount(): number {
    return this.#number(3);
  }

  get usageUnknown(): boolean {
    return this.#number(6) === 1;
  }

  get keys(): Uint32Array {
    const { keys, numbers } = this.#columns;
    return keys.subarray(endAt(numbers, this.#index - 1, KEYS_END), this.#number(KEYS_END));
  }

  hasKeyIn(sieve: KeySieve): boolean {
    return sieve.hasOneOf(this.keys);
  }

  get head(): SessionHead {
    return JSON.parse(this.headText) as SessionHead;
  }

  get headText(): string {
    return this.#columns.heads.text(this.#index);
  }

  get models(): string[] {
    const { models, texts } = this.#columns;
    return models.of(this.#index).map((model) => texts.text(model)!);
  }
}

/** Numbers of each session's models, as JSON. */
class ModelLists {
  readonly #bytes: Buffer;
  #lists: number[][] | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  of(index: number): readonly number[] {
    this.#lists ??= JSON.parse(String(this.#bytes)) as number[][];
    return this.#lists[index]!;
  }
}

const NONE: [string, string][] = [];
const NO_STAMPS = new Float64Array(0);

/** Heads as lines of JSON, which are only looked at when one is asked for. */
class HeadTexts {
  readonly #bytes: Buffer;
  #lines: string[] | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  text(index: number): string {
    this.#lines ??= String(this.#bytes).split("\n");
    return this.#lines[index]!;
  }
}
