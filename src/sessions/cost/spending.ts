/**
 * What sessions spent, summed over requests that are alike: of one quarter of an hour, one model, one kind, one place.
 * Days of every time zone begin on a quarter of an hour, so any report can be made from these sums. They are rows of
 * numbers, so that thousands of sessions can be kept in a file and taken from it as they are.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { Texts } from "../../lib/texts.ts";
import type { CostItem } from "./cost-item.ts";
import { COST_KINDS } from "./row-prices.ts";

const QUARTER_MS = 15 * 60_000;

/** The numbers of a row, in the order of the columns. */
const DOUBLES = [
  "from",
  "to",
  "requests",
  "nanoUsd",
  "input",
  "cached",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "thinking",
] as const;
const WORDS = ["model", "cwd", "branch", "kind", "isSubagent"] as const;

type Doubles = Record<(typeof DOUBLES)[number], Float64Array>;
type Words = Record<(typeof WORDS)[number], Int32Array>;

export class SpendingTable {
  static readonly doubleColumns = DOUBLES.length;
  readonly texts: Texts;
  length: number;
  readonly #doubles: Doubles;
  readonly #words: Words;

  /** `packed`: the columns of another one, which are not copied. */
  constructor(texts: Texts, packed?: PackedSpending) {
    this.texts = texts;
    this.length = packed?.length ?? 0;
    const length = this.length;
    this.#doubles = Object.fromEntries(
      DOUBLES.map((name, column) => [
        name,
        packed ? packed.doubles.subarray(column * length, (column + 1) * length) : new Float64Array(FIRST_ROWS),
      ]),
    ) as Doubles;
    this.#words = Object.fromEntries(
      WORDS.map((name, column) => [
        name,
        packed ? packed.words.subarray(column * length, (column + 1) * length) : new Int32Array(FIRST_ROWS),
      ]),
    ) as Words;
  }

  /** Adds a request to a sum, or money that belongs to none in particular. */
  add(
    index: number,
    at: number,
    requests: number,
    nanoUsd: number,
    input: number,
    cached: number,
    cacheWrite: number,
    cacheWrite1h: number,
    output: number,
    thinking: number,
  ): void {
    const sums = this.#doubles;
    if (at < sums.from[index]!) sums.from[index] = at;
    if (at > sums.to[index]!) sums.to[index] = at;
    sums.requests[index]! += requests;
    sums.nanoUsd[index]! += nanoUsd;
    sums.input[index]! += input;
    sums.cached[index]! += cached;
    sums.cacheWrite[index]! += cacheWrite;
    sums.cacheWrite1h[index]! += cacheWrite1h;
    sums.output[index]! += output;
    sums.thinking[index]! += thinking;
  }

  /**
   * The sum a request belongs to, of the session whose first sum is `start`. Mostly it goes on where the request before it
   * was; two sums of one quarter are as good as one.
   */
  place(
    start: number,
    at: number,
    model: number,
    cwd: number,
    branch: number,
    kind: number,
    isSubagent: number,
  ): number {
    const { from } = this.#doubles;
    const words = this.#words;
    const quarter = quarterOf(at);
    for (let i = this.length - 1; i >= start && i >= this.length - LOOK_BACK; i--) {
      if (
        words.model[i] === model &&
        words.kind[i] === kind &&
        words.cwd[i] === cwd &&
        words.branch[i] === branch &&
        words.isSubagent[i] === isSubagent &&
        quarterOf(from[i]!) === quarter
      )
        return i;
    }
    const index = this.length++;
    if (index === this.#doubles.from.length) this.#grow();
    for (const name of DOUBLES) this.#doubles[name][index] = 0;
    this.#doubles.from[index] = at;
    this.#doubles.to[index] = at;
    this.#words.model[index] = model;
    this.#words.cwd[index] = cwd;
    this.#words.branch[index] = branch;
    this.#words.kind[index] = kind;
    this.#words.isSubagent[index] = isSubagent;
    return index;
  }

  #grow(): void {
    const size = Math.max(FIRST_ROWS, 2 * this.#doubles.from.length);
    for (const name of DOUBLES) {
      const wider = new Float64Array(size);
      wider.set(this.#doubles[name]);
      this.#doubles[name] = wider;
    }
    for (const name of WORDS) {
      const wider = new Int32Array(size);
      wider.set(this.#words[name]);
      this.#words[name] = wider;
    }
  }

  /** For sums. Helpers have no names here: whose they are is only known request by request. */
  item(agent: string, sessionId: string, row: number): CostItem {
    const item = blankItem(agent, sessionId);
    this.fill(item, row);
    return item;
  }

  /** The same into an item that is there already, which is the caller's to throw away. */
  fill(item: BlankItem, row: number): void {
    const { from, requests, nanoUsd, input, cached, cacheWrite, cacheWrite1h, output, thinking } = this.#doubles;
    const { model, cwd, branch, kind, isSubagent } = this.#words;
    const at = from[row]!;
    item.at = Number.isNaN(at) ? undefined : at;
    item.model = this.texts.text(model[row]!);
    item.cwd = this.texts.text(cwd[row]!);
    item.branch = this.texts.text(branch[row]!);
    item.subagent = isSubagent[row] === 1 ? "" : undefined;
    item.tokens.input = input[row]!;
    item.tokens.cached = cached[row]!;
    item.tokens.cacheWrite = cacheWrite[row]!;
    item.tokens.cacheWrite1h = cacheWrite1h[row]!;
    item.tokens.output = output[row]!;
    item.tokens.thinking = thinking[row]!;
    item.nanoUsd = nanoUsd[row]!;
    item.kind = COST_KINDS[kind[row]!]!;
    item.requests = requests[row]!;
  }

  /** The moments of the sum's first and last request. */
  span(row: number): { from: number; to: number } {
    return { from: this.#doubles.from[row]!, to: this.#doubles.to[row]! };
  }

  /** Some of the sum's requests are before a moment and some after it. */
  straddles(row: number, moment: number): boolean {
    const { from, to } = this.#doubles;
    return from[row]! < moment && moment <= to[row]!;
  }

  /** Rows of some sessions, one behind the other; texts by the numbers `numberOf` gives. */
  packed(ranges: readonly SpendingRange[], numberOf: (text: string | undefined) => number): PackedSpending {
    const length = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    const doubles = new Float64Array(DOUBLES.length * length);
    const words = new Int32Array(WORDS.length * length);
    let at = 0;
    for (const { table: own, from, to } of ranges) {
      DOUBLES.forEach((name, column) => doubles.set(own.#doubles[name].subarray(from, to), column * length + at));
      WORDS.forEach((name, column) => {
        for (let row = from; row < to; row++) {
          const word = own.#words[name][row]!;
          words[column * length + at + row - from] = column < TEXT_WORDS ? numberOf(own.texts.text(word)) : word;
        }
      });
      at += to - from;
    }
    return { length, doubles, words };
  }
}

export interface BlankItem extends CostItem {
  tokens: TokenCounts;
}

export function blankItem(agent: string, sessionId: string): BlankItem {
  return {
    agent,
    sessionId,
    at: undefined,
    model: undefined,
    cwd: undefined,
    branch: undefined,
    subagent: undefined,
    tokens: { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 },
    nanoUsd: 0,
    kind: "computed",
    requests: 0,
  };
}

/** The rows of one session. */
export interface SpendingRange {
  table: SpendingTable;
  from: number;
  to: number;
}

/** Columns one behind the other. */
export interface PackedSpending {
  length: number;
  doubles: Float64Array;
  words: Int32Array;
}

export function itemsOf(agent: string, sessionId: string, { table, from, to }: SpendingRange): CostItem[] {
  return Array.from({ length: to - from }, (_, index) => table.item(agent, sessionId, from + index));
}

const FIRST_ROWS = 256;
/** Sums of the same session that are looked at for one to add to. */
const LOOK_BACK = 8;
/** The first of WORDS are numbers of texts. */
const TEXT_WORDS = 3;

function quarterOf(at: number): number {
  return Number.isNaN(at) ? -1 : Math.floor(at / QUARTER_MS);
}
