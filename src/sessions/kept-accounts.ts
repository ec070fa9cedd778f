/** Accounts of an agent's sessions as segments of the file they are kept in. */
import type { SessionHead } from "../agents/adapter.ts";
import type { FileStat } from "../lib/directory.ts";
import { Texts } from "../lib/texts.ts";
import type { Account } from "./cost/account.ts";
import { KeyColumn, type KeySieve } from "./key-sieve.ts";
import { SpendingTable, type SpendingRange } from "./cost/spending.ts";
import { jsonPart, numbersPart, type Segment } from "./kept-file.ts";

/** What an account holds for: files as they were, prices, and files of other sessions it was read from. */
export interface AccountTerms {
  files: FileStamps;
  prices: string;
  others: [path: string, stamp: string][];
}

/** Files as they were when they were listed: number, size and time of each. Compared as numbers, for there are thousands. */
export class FileStamps {
  readonly #numbers: Float64Array;
  readonly #from: number;
  readonly #to: number;

  constructor(numbers: Float64Array, from = 0, to = numbers.length) {
    this.#numbers = numbers;
    this.#from = from;
    this.#to = to;
  }

  /** Undefined where the system does not number files: then they cannot be told apart. */
  static of(files: readonly FileStat[]): FileStamps | undefined {
    const numbers = new Float64Array(STAMP_NUMBERS * files.length);
    for (const [index, { ino = 0, size, mtimeMs }] of files.entries()) {
      if (ino === 0) return undefined;
      numbers.set([ino, size, mtimeMs], STAMP_NUMBERS * index);
    }
    return new FileStamps(numbers);
  }

  match(files: readonly FileStat[]): boolean {
    if (this.#to - this.#from !== STAMP_NUMBERS * files.length) return false;
    let at = this.#from;
    for (const file of files) {
      if (this.#numbers[at] !== file.ino || this.#numbers[at + 1] !== file.size) return false;
      if (this.#numbers[at + 2] !== file.mtimeMs) return false;
      at += STAMP_NUMBERS;
    }
    return true;
  }

  /** Whether they are the numbers at a place of others. */
  areAt(others: Float64Array, at: number, length: number): boolean {
    if (length !== this.#to - this.#from) return false;
    for (let i = 0; i < length; i++) if (this.#numbers[this.#from + i] !== others[at + i]) return false;
    return true;
  }

  /** The same with some of the files as they are now. */
  with(paths: readonly string[], changed: readonly FileStat[]): FileStamps {
    const numbers = this.numbers.slice();
    for (const { path, ino = 0, size, mtimeMs } of changed)
      numbers.set([ino, size, mtimeMs], STAMP_NUMBERS * paths.indexOf(path));
    return new FileStamps(numbers);
  }

  get fileCount(): number {
    return (this.#to - this.#from) / STAMP_NUMBERS;
  }

  get numbers(): Float64Array {
    return this.#numbers.subarray(this.#from, this.#to);
  }
}

export const STAMP_NUMBERS = 3;

export interface KeptAccount extends AccountTerms {
  /** Null: there is no conversation in the files. */
  account: Account | null;
}

interface Facts {
  ids: string[];
  prices: string[];
  /** By place, where there are any. */
  others: Record<number, [path: string, stamp: string][]>;
  models: number[][];
  texts: string[];
}

/**
 * Whole numbers of each session: prices, what there is of it, messages, turns, sums, keys, token counts are unknown, numbers
 * of its files' stamps.
 */
const NUMBERS = 8;
const [NOTHING, COUNTED, ONLY_BILLED, VOID] = [0, 1, 2, 3] as const;

export function accountsSegment(name: string, kept: ReadonlyMap<string, KeptAccount | null>): Segment {
  const texts = new Texts();
  const prices: string[] = [];
  const facts: Facts = { ids: [], prices, others: {}, models: [], texts: [] };
  const numbers = new Int32Array(NUMBERS * kept.size);
  const heads: string[] = [];
  const ranges: SpendingRange[] = [];
  const keys: Uint32Array[] = [];
  const stamps: Float64Array[] = [];
  for (const [id, entry] of kept) {
    const index = facts.ids.push(id) - 1;
    const own = entry?.files.numbers ?? NO_STAMPS;
    stamps.push(own);
    const account = entry?.account;
    if (entry && !prices.includes(entry.prices)) prices.push(entry.prices);
    if (entry && entry.others.length > 0) facts.others[index] = entry.others;
    facts.models.push(account?.models.map((model) => texts.numberOf(model)) ?? []);
    heads.push(account ? account.headText : "null");
    if (account) {
      ranges.push(account.spending);
      keys.push(account.keys);
    }
    numbers.set(
      [
        entry ? prices.indexOf(entry.prices) : 0,
        entry === null ? VOID : account ? (account.isCounted ? COUNTED : ONLY_BILLED) : NOTHING,
        account?.messageCount ?? 0,
        account?.turnCount ?? 0,
        account ? account.spending.to - account.spending.from : 0,
        account?.keys.length ?? 0,
        account?.usageUnknown ? 1 : 0,
        own.length,
      ],
      NUMBERS * index,
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

/** Puts them over what is there already, null for one that does not hold any more; gives the keys of all of them. */
export function takeAccounts({ parts }: Segment, into: Map<string, KeptAccount | null>): KeyColumn {
  const [json, headBytes, numberBytes, doubleBytes, wordBytes, keyBytes, stampBytes] = parts as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const facts = JSON.parse(String(json)) as Facts;
  const numbers = new Int32Array(numberBytes.buffer, numberBytes.byteOffset, numberBytes.length >> 2);
  const doubles = new Float64Array(doubleBytes.buffer, doubleBytes.byteOffset, doubleBytes.length >> 3);
  const words = new Int32Array(wordBytes.buffer, wordBytes.byteOffset, wordBytes.length >> 2);
  const keys = new Uint32Array(keyBytes.buffer, keyBytes.byteOffset, keyBytes.length >> 2);
  const stamps = new Float64Array(stampBytes.buffer, stampBytes.byteOffset, stampBytes.length >> 3);
  const texts = new Texts(facts.texts);
  const table = new SpendingTable(texts, { length: doubles.length / SpendingTable.doubleColumns, doubles, words });
  const columns: AccountColumns = { facts, numbers, keys, texts, heads: new HeadTexts(headBytes) };
  const { ids } = facts;
  let spendingAt = 0;
  let keysAt = 0;
  let stampsAt = 0;
  for (let index = 0, at = 0; index < ids.length; index++, at += NUMBERS) {
    const what = numbers[at + 1];
    const [from, keysFrom, stampsFrom] = [spendingAt, keysAt, stampsAt];
    spendingAt += numbers[at + 4]!;
    keysAt += numbers[at + 5]!;
    stampsAt += numbers[at + 7]!;
    into.set(
      ids[index]!,
      what === VOID
        ? null
        : {
            files: new FileStamps(stamps, stampsFrom, stampsAt),
            prices: facts.prices[numbers[at]!]!,
            others: facts.others[index] ?? NONE,
            account: what === NOTHING ? null : new AccountOnFile(columns, index, table, from, spendingAt, keysFrom),
          },
    );
  }
  return new KeyColumn(ids, keys, (index) => numbers[NUMBERS * index + 5]!);
}

/** What accounts of a segment lie in. */
interface AccountColumns {
  facts: Facts;
  numbers: Int32Array;
  keys: Uint32Array;
  texts: Texts;
  heads: HeadTexts;
}

/** An account that is looked up where it lies when somebody asks: of thousands most are only added up. */
class AccountOnFile implements Account, SpendingRange {
  readonly #columns: AccountColumns;
  readonly #index: number;
  readonly #keysFrom: number;
  readonly table: SpendingTable;
  readonly from: number;
  readonly to: number;

  constructor(
    columns: AccountColumns,
    index: number,
    table: SpendingTable,
    from: number,
    to: number,
    keysFrom: number,
  ) {
    this.#columns = columns;
    this.#index = index;
    this.#keysFrom = keysFrom;
    this.table = table;
    this.from = from;
    this.to = to;
  }

  #number(column: number): number {
    return this.#columns.numbers[NUMBERS * this.#index + column]!;
  }

  /** Itself: nothing is made for it. */
  get spending(): SpendingRange {
    return this;
  }

  get isCounted(): boolean {
    return this.#number(1) === COUNTED;
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
    return this.#columns.keys.subarray(this.#keysFrom, this.#keysFrom + this.#number(5));
  }

  hasKeyIn(sieve: KeySieve): boolean {
    return sieve.hasOneOf(this.#columns.keys, this.#keysFrom, this.#keysFrom + this.#number(5));
  }

  get head(): SessionHead {
    return this.#columns.heads.head(this.#index);
  }

  get headText(): string {
    return this.#columns.heads.text(this.#index);
  }

  get models(): string[] {
    const { facts, texts } = this.#columns;
    return facts.models[this.#index]!.map((model) => texts.text(model)!);
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

  head(index: number): SessionHead {
    return JSON.parse(this.text(index)) as SessionHead;
  }
}
