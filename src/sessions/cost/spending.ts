/**
 * What sessions spent, summed over requests that are alike: of one quarter of an hour, one model, one kind, one place.
 * Days of every time zone begin on a quarter of an hour, so any report can be made from these sums. They are rows of
 * numbers, so that thousands of sessions can be kept in a file and taken from it as they are.
 */
import type { CostKind, TokenCounts } from "../../core/cost.ts";
import { Texts } from "../../lib/texts.ts";
import type { CostItem } from "./cost-item.ts";
import { COST_KINDS } from "./kind-numbers.ts";

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
        packed ? packed.doubles.subarray(column * length, (column + 1) * length) : new Float64Array(0),
      ]),
    ) as Doubles;
    this.#words = Object.fromEntries(
      WORDS.map((name, column) => [
        name,
        packed ? packed.words.subarray(column * length, (column + 1) * length) : new Int32Array(0),
      ]),
    ) as Words;
  }

  /** A sum as an item. Helpers have no names here: whose they are is only known request by request. */
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

  /** After the last of the rows from `row` on that are of its kind, and a helper's if it is; at most `to`. */
  endOfKind(row: number, to: number): number {
    const { kind, isSubagent } = this.#words;
    let end = row + 1;
    while (end < to && kind[end] === kind[row] && isSubagent[end] === isSubagent[row]) end++;
    return end;
  }

  /** Adds the counts of some rows to an item. */
  addTo(item: BlankItem, from: number, to: number): void {
    const { requests, nanoUsd, input, cached, cacheWrite, cacheWrite1h, output, thinking } = this.#doubles;
    const { tokens } = item;
    for (let row = from; row < to; row++) {
      item.requests += requests[row]!;
      item.nanoUsd += nanoUsd[row]!;
      tokens.input += input[row]!;
      tokens.cached += cached[row]!;
      tokens.cacheWrite += cacheWrite[row]!;
      tokens.cacheWrite1h += cacheWrite1h[row]!;
      tokens.output += output[row]!;
      tokens.thinking += thinking[row]!;
    }
  }

  /** What rows from `from` to `to` have of a kind, added to sums by kind. */
  addKinds(sums: Map<CostKind, BlankItem>, from: number, to: number): void {
    const { kind } = this.#words;
    for (let row = from; row < to;) {
      let end = row + 1;
      while (end < to && kind[end] === kind[row]) end++;
      const name = COST_KINDS[kind[row]!]!;
      let sum = sums.get(name);
      if (sum === undefined) sums.set(name, (sum = { ...blankItem("", ""), kind: name }));
      this.addTo(sum, row, end);
      row = end;
    }
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

/** What a session spent, for whoever asks neither for models, nor for places, nor for times: those of one kind as one. */
export function itemsByKind(agent: string, sessionId: string, { table, from, to }: SpendingRange): CostItem[] {
  const items: CostItem[] = [];
  for (let row = from; row < to;) {
    const end = table.endOfKind(row, to);
    const item = blankItem(agent, sessionId);
    table.fill(item, row);
    table.addTo(item, row + 1, end);
    items.push(item);
    row = end;
  }
  return items;
}

/** The first of WORDS are numbers of texts. */
const TEXT_WORDS = 3;

const QUARTER_MS = 900_000;
/** Sums of the same session that are looked at for one to add to. */
const LOOK_BACK = 8;

/** A sum before it is put into columns. */
type Sum = { [Name in (typeof DOUBLES)[number] | (typeof WORDS)[number]]: number };

/** Sums up the requests of one session after the other. */
export class SpendingSums {
  readonly #texts = new Texts();
  readonly #sums: Sum[] = [];

  get length(): number {
    return this.#sums.length;
  }

  addSession(items: Iterable<CostItem>): void {
    const start = this.length;
    for (const item of items) this.#add(item, start);
  }

  #add({ at = Number.NaN, tokens, requests, nanoUsd, ...item }: CostItem, start: number): void {
    const model = this.#texts.numberOf(item.model);
    const cwd = this.#texts.numberOf(item.cwd);
    const branch = this.#texts.numberOf(item.branch);
    const kind = COST_KINDS.indexOf(item.kind);
    const isSubagent = item.subagent === undefined ? 0 : 1;
    const alike = (sum: Sum): boolean =>
      sum.model === model &&
      sum.kind === kind &&
      sum.cwd === cwd &&
      sum.branch === branch &&
      sum.isSubagent === isSubagent &&
      quarterOf(sum.from) === quarterOf(at);
    let sum: Sum | undefined;
    for (let i = this.length - 1; i >= Math.max(start, this.length - LOOK_BACK) && sum === undefined; i--) {
      const other = this.#sums[i]!;
      if (alike(other)) sum = other;
    }
    if (sum === undefined) {
      const nothing = { requests: 0, nanoUsd: 0, input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0 };
      sum = { from: at, to: at, ...nothing, output: 0, thinking: 0, model, cwd, branch, kind, isSubagent };
      this.#sums.push(sum);
    }
    if (at < sum.from) sum.from = at;
    if (at > sum.to) sum.to = at;
    sum.requests += requests;
    sum.nanoUsd += nanoUsd;
    sum.input += tokens.input;
    sum.cached += tokens.cached;
    sum.cacheWrite += tokens.cacheWrite;
    sum.cacheWrite1h += tokens.cacheWrite1h;
    sum.output += tokens.output;
    sum.thinking += tokens.thinking;
  }

  table(): SpendingTable {
    const { length } = this;
    const doubles = new Float64Array(DOUBLES.length * length);
    const words = new Int32Array(WORDS.length * length);
    this.#sums.forEach((sum, row) => {
      DOUBLES.forEach((name, column) => (doubles[column * length + row] = sum[name]));
      WORDS.forEach((name, column) => (words[column * length + row] = sum[name]));
    });
    return new SpendingTable(this.#texts, { length, doubles, words });
  }
}

/** Of what has no date: -1. */
function quarterOf(at: number): number {
  return Number.isNaN(at) ? -1 : Math.floor(at / QUARTER_MS);
}
