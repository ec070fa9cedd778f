/**
 * Requests in rows, settled, priced and summed by a WebAssembly module (wasm/ledger.as.ts): there are hundreds of thousands,
 * and loops that run once are over before they are compiled. JavaScript tells it prices, and has the last word on ids.
 */
import type { UsageRows } from "../../agents/usage-rows.ts";
import type { PriceTable, PriceRow } from "../../models/price-table.ts";
import { ratesOf } from "../../models/price-request.ts";
import { CostTexts } from "./cost-text.ts";
import type { BilledSession } from "./ledger.ts";
import {
  DOUBLES,
  FLAGS,
  KEY_LENGTH,
  KEY_START,
  KEYS,
  SESSIONS,
  sharedModule,
  WORDS,
  type LedgerModule,
} from "./ledger-module.ts";
import { LedgerRoom } from "./ledger-room.ts";
import { latestMoment, putRight } from "./quarantine.ts";
import { startOf } from "./owners.ts";
import { SpendingTable, type PackedSpending } from "./spending.ts";

const MODELS = 2048;
const RATES_BYTES = 48;
const PRICE_BYTES = 48;
/** As many as the module has room for; nobody has more than three. */
const MAX_TIERS = 80;
const DOUBLE_COLUMNS = 10;
const WORD_COLUMNS = 5;

/** For one use: the memory it works in is everybody's, or the rows' own. */
export class RowLedger {
  readonly #exports: LedgerModule["exports"];
  readonly #rows: UsageRows;
  readonly #sessions: readonly BilledSession[];
  readonly #prices: PriceTable;
  /** Of what was copied into the module's memory. */
  readonly #places: number[] = [];
  /** A view of the module's memory; void when that grows. */
  #words = new Int32Array(0);

  constructor(rows: UsageRows, sessions: readonly BilledSession[], prices: PriceTable, now: number) {
    this.#rows = rows;
    this.#sessions = sessions;
    this.#prices = prices;
    const isAtHome = rows.room instanceof LedgerRoom;
    const module = isAtHome ? (rows.room as LedgerRoom).module : sharedModule();
    module.answers = { comesFirst: (a, b) => this.#comesFirst(a, b), lookUp: (row) => this.#lookUp(row) };
    this.#exports = module.exports;
    rows.settle();
    this.#exports.start(rows.length, sessions.length);
    if (!isAtHome) this.#putRows();
    this.#putSessions();
    this.#exports.own();
    this.#check(now);
  }

  /** Sums a session; they must be summed one after the other. Gives its first sum. */
  sum(session: number): number {
    return this.#exports.sum(session);
  }

  /** Models that the session used which was summed last. */
  models(): number[] {
    const { buffer } = this.#exports.memory;
    if (this.#words.buffer !== buffer) this.#words = new Int32Array(buffer);
    const models: number[] = [];
    for (let i = 0; i < this.#exports.modelCount(); i++) models.push(this.#words[(MODELS >> 2) + i]!);
    return models;
  }

  /** What requests of the session cost that the agent's own total includes, or that it told itself: model and figure. */
  told({ from, to }: BilledSession, covers: number): [model: number, nanoUsd: number][] {
    const found: [number, number][] = [];
    for (let row = from; row < to; row++) {
      const nanoUsd = this.#exports.toldNanoUsd(row, row - from < covers ? 1 : 0);
      if (!Number.isNaN(nanoUsd)) found.push([this.#rows.model[row]!, nanoUsd]);
    }
    return found;
  }

  /** Whether one of these rows is billed to the session that holds it. */
  ownsAnyOf(from: number, to: number): boolean {
    for (let row = from; row < to; row++) if (!Number.isNaN(this.#exports.toldNanoUsd(row, 1))) return true;
    return false;
  }

  /** Money of a session that belongs to no request in particular. */
  addMoney(start: number, at: number, model: number, cwd: number, branch: number, kind: number, nanoUsd: number): void {
    const index = this.#exports.place(start, at, model, cwd, branch, kind, 0);
    this.#exports.add(index, at, 0, nanoUsd, 0, 0, 0, 0, 0, 0);
  }

  get sumCount(): number {
    return this.#exports.spendingCount();
  }

  /** All sums, when everything was summed. */
  table(): SpendingTable {
    const length = this.sumCount;
    const place = this.#exports.packed();
    const { buffer } = this.#exports.memory;
    const words = place + 8 * DOUBLE_COLUMNS * length;
    const packed: PackedSpending = {
      length,
      doubles: new Float64Array(buffer, place, DOUBLE_COLUMNS * length).slice(),
      words: new Int32Array(buffer, words, WORD_COLUMNS * length).slice(),
    };
    return new SpendingTable(this.#rows.texts, packed);
  }

  /** When everything was summed, and sums were taken: what sessions cost, of which `starts` has the first sums. */
  costTexts(starts: Uint32Array, sessions: readonly number[], rowEnd: string): CostTexts {
    return new CostTexts(this.#exports, starts, sessions, rowEnd);
  }

  #putRows(): void {
    const rows = this.#rows;
    const { length } = rows;
    const { start, lengths, bytes } = rows.keyColumns();
    DOUBLES.forEach((name, column) => this.#put(column, rows[name].subarray(0, length)));
    WORDS.forEach((name, index) => this.#put(DOUBLES.length + index, rows[name].subarray(0, length)));
    this.#put(KEY_START, start);
    this.#put(KEY_LENGTH, lengths);
    this.#put(FLAGS, rows.flags.subarray(0, length));
    this.#put(KEYS, bytes);
  }

  #putSessions(): void {
    const { texts } = this.#rows;
    const sessions = this.#sessions;
    const from = new Uint32Array(sessions.length);
    const to = new Uint32Array(sessions.length);
    const started = new Float64Array(sessions.length);
    const cwd = new Uint32Array(sessions.length);
    const branch = new Uint32Array(sessions.length);
    const covers = new Uint32Array(sessions.length);
    for (let i = 0; i < sessions.length; i++) {
      const session = sessions[i]!;
      from[i] = session.from;
      to[i] = session.to;
      started[i] = startOf(session);
      cwd[i] = session.placed ? 0 : texts.numberOf(session.head.cwd);
      branch[i] = session.placed ? 0 : texts.numberOf(session.head.branch);
      covers[i] = session.reportedTotals?.at(-1)?.covers ?? 0;
    }
    [from, to, started, cwd, branch, covers].forEach((column, index) => this.#put(SESSIONS + index, column));
  }

  #put(column: number, values: Float64Array | Int32Array | Uint32Array | Uint8Array): void {
    const place = this.#exports.allocate(values.byteLength);
    this.#places[column] = place;
    this.#exports.setColumn(column, place);
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, place);
  }

  /** What cannot be true is put right in the rows, and in the module. */
  #check(now: number): void {
    const rows = this.#rows;
    const latest = latestMoment(now);
    const next = (row: number): number => this.#exports.nextUnsound(row, latest);
    for (let row = next(0); row < rows.length; row = next(row + 1)) {
      putRight(rows, row, now);
      if (this.#places[FLAGS] === undefined) continue;
      const { buffer } = this.#exports.memory;
      DOUBLES.forEach((name, column) => {
        new Float64Array(buffer, this.#places[column]!)[row] = rows[name][row]!;
      });
      new Uint8Array(buffer, this.#places[FLAGS]!)[row] = rows.flags[row]!;
    }
  }

  #comesFirst(a: number, b: number): boolean {
    return this.#sessions[a]!.sessionId < this.#sessions[b]!.sessionId;
  }

  #lookUp(row: number): void {
    const rows = this.#rows;
    const at = rows.at[row]!;
    const name = rows.texts.text(rows.model[row]!)!;
    const price = this.#prices.lookup(name, Number.isNaN(at) ? undefined : at, rows.modifiersOf(row));
    const span = Number.isNaN(at) ? undefined : this.#prices.span(name, at);
    const room = this.#exports.priceRoom();
    const doubles = new Float64Array(this.#exports.memory.buffer, room);
    const words = new Uint32Array(this.#exports.memory.buffer, room);
    doubles[0] = span?.from ?? Number.NaN;
    doubles[1] = span?.to ?? Number.NaN;
    words[4] = rows.model[row]!;
    words[5] = rows.modifiers[row]!;
    words[6] = price ? 1 : 0;
    const sets = price ? ratesIn(price) : [];
    words[7] = Math.max(0, sets.length - 1);
    doubles[4] = price?.multiplier ?? 1;
    doubles[5] = price?.webSearch ?? Number.NaN;
    sets.forEach((set, index) => doubles.set(set, (PRICE_BYTES + RATES_BYTES * index) >> 3));
    if (span) this.#exports.addPrice(PRICE_BYTES + RATES_BYTES * Math.max(1, sets.length));
  }
}

/** The price without a tier, then those of the tiers, each with the input it begins above. */
function ratesIn({ rates, tiers }: PriceRow): number[][] {
  return [[0, ...ratesOf(rates)], ...tiers.slice(0, MAX_TIERS).map((tier) => [tier.above, ...ratesOf(tier)])];
}
