/**
 * A list that shows no more than the heads of sessions, as text: most rows are made by the adapters where they read the
 * files, and are never objects here. The others are made as in every list.
 */
import type { SessionHead, SessionSource } from "../agents/adapter.ts";
import { PACKED_LATER, type PackedRows, type RowPacker, type TextSpans } from "../agents/packed-rows.ts";
import type { SessionSummary } from "../core/session.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { Breather } from "../lib/breathe.ts";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import { dateOrder } from "./date-order.ts";
import { resolveForksAmong } from "./forks.ts";
import { Kinship } from "./kinship.ts";
import { DEFAULT_LIMIT } from "./list.ts";
import { forkedFromText, LIST_END, LIST_START, listTextOf, ROW_END, rowPieces, rowText } from "./list-text.ts";
import type { SessionListOptions } from "./options.ts";
import { summaryOf, type SummaryContext } from "./summary.ts";

/** Heads are all that is shown, and nothing is chosen by what they say. */
export function isOfHeads(options: SessionListOptions): boolean {
  return options.counts === false && isUnfiltered(options);
}

/** By date, and nothing is left out for what it is. */
export function isUnfiltered({ since, until, model, tags = [], cwd, sort = "date" }: SessionListOptions): boolean {
  const isFiltered = since !== undefined || until !== undefined || model !== undefined || cwd !== undefined;
  return !isFiltered && tags.length === 0 && sort === "date";
}

/** Undefined when the list has to be made as every other. */
export async function packedListText(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<Buffer | undefined> {
  return textOfShares(catalogs, options, async (catalog) => shareOf(catalog, context));
}

/** `shareOf`: an agent's part of the list; undefined when that cannot be had so. */
export async function textOfShares(
  catalogs: readonly Catalog[],
  { limit = DEFAULT_LIMIT, sortDirection = "desc" }: SessionListOptions,
  shareOf: (catalog: Catalog) => Promise<Share | undefined>,
): Promise<Buffer | undefined> {
  const shares: Share[] = [];
  for (const catalog of catalogs) {
    const share = await shareOf(catalog);
    if (share === undefined) return undefined;
    if (share.size > 0) shares.push(share);
  }
  // From here on nobody else's turn comes, so that what was packed stays as it is.
  if (!shares.every((share) => share.takeRows())) return undefined;
  const order = orderOf(shares, sortDirection === "asc" ? 1 : -1)?.slice(0, limit);
  if (order === undefined) return undefined;
  for (const share of shares) share.resolveForks(order);
  return textOf(shares, order);
}

/** Undefined when a session's title is in another one's file. */
async function shareOf(catalog: Catalog, context: SummaryContext): Promise<Share | undefined> {
  const { name, history } = catalog.adapter;
  const packer = history?.packRows?.(rowPieces(name));
  const sources: SessionSource[] = [];
  const others: OtherRow[] = [];
  const hasRuns = context.runs.runs.length > 0;
  /** False when it has a title for another one. */
  const addOther = (source: SessionSource, known: SessionHead | false): boolean => {
    const head = known || catalog.head(source.sessionId);
    if (head?.titlesForOthers) return false;
    if (head) others.push({ source, head, summary: summaryOf(name, source, head, context) });
    return true;
  };
  let group: SessionSource[] = [];
  const packGroup = (): boolean => {
    const packed = group;
    group = [];
    const later: SessionSource[] = [];
    const isPossible = packer!.pack(packed).every((answer, index) => {
      if (answer === true) sources.push(packed[index]!);
      else if (answer === PACKED_LATER) later.push(packed[index]!);
      else return addOther(packed[index]!, answer);
      return true;
    });
    // In the order of their rows.
    sources.push(...later);
    return isPossible;
  };
  const breather = new Breather();
  let done = 0;
  for (const source of catalog.sources()) {
    done++;
    const mayPack = packer !== undefined && !(hasRuns && context.runs.of(name, source.sessionId).length > 0);
    if (mayPack && group.push(source) < packer.atOnce) continue;
    if (!(mayPack ? packGroup() : addOther(source, false))) return undefined;
    if (!breather.isDue) continue;
    catalog.progress("heads", done);
    await breather.breathe();
  }
  if (group.length > 0 && !packGroup()) return undefined;
  return new Share(catalog, packer, sources, others);
}

export interface OtherRow extends CatalogEntry {
  summary: SessionSummary;
  text?: string;
}

/** What stands at the end of packed rows that have counts, up to the end of the row. */
export interface RowTails {
  /** Of all of them. */
  readonly bytes: number;
  /**
   * Puts most of them, in no order, into a buffer that rows are put into afterwards; tells of each row, from a place on, where they
   * are. Those of which it tells nothing are put one by one.
   */
  putTexts(target: Buffer, start: number, spans: TextSpans, first: number): void;
  /** Puts that of a row; gives where it ends. */
  put(row: number, target: Buffer, start: number): number;
}

/** Where the texts of rows lie, and of what stands behind them: nothing, where both are 0. */
interface RowSpans extends TextSpans {
  tails: TextSpans;
}

/** The sessions of one agent: those that are packed, then the others. */
export class Share {
  /** Of its first session among those of all agents. */
  first = 0;
  readonly #catalog: Catalog;
  readonly #packer: Pick<RowPacker, "rows"> | undefined;
  readonly #tails: RowTails | undefined;
  #packed: PackedRows | undefined;
  readonly #sources: readonly SessionSource[];
  readonly #others: readonly OtherRow[];
  /** Of packed ones. */
  readonly #parents = new Map<number, string>();

  constructor(
    catalog: Catalog,
    packer: Pick<RowPacker, "rows"> | undefined,
    sources: readonly SessionSource[],
    others: readonly OtherRow[],
    tails?: RowTails,
  ) {
    this.#tails = tails;
    this.#catalog = catalog;
    this.#packer = packer;
    this.#sources = sources;
    this.#others = others;
  }

  get size(): number {
    return this.#sources.length + this.#others.length;
  }

  /** False when another list was begun since they were packed. */
  takeRows(): boolean {
    if (this.#sources.length === 0) return true;
    this.#packed = this.#packer!.rows();
    return this.#packed?.count === this.#sources.length;
  }

  putTimes(times: Float64Array): void {
    const { first } = this;
    this.#packed?.putTimes(times, first);
    for (const [index, { summary }] of this.#others.entries())
      times[first + this.#sources.length + index] = summary.updatedAt.getTime();
  }

  unifiedId(index: number): string {
    const source = this.#sources[index] ?? this.#others[index - this.#sources.length]!.source;
    return joinUnifiedId(this.#catalog.adapter.name, source.sessionId);
  }

  /** Looks for the parents of forks among sessions that are shown. */
  resolveForks(shown: Uint32Array): void {
    if (!this.#catalog.adapter.history?.lineage) return;
    const heads = this.#relatives();
    const entries = new Map<string, CatalogEntry>();
    for (const { source, head } of this.#others) entries.set(source.sessionId, { source, head });
    for (const [index, head] of heads) {
      const source = this.#sources[index]!;
      entries.set(source.sessionId, { source, head });
    }
    if (entries.size === 0) return;
    const ids: string[] = [];
    for (const place of shown) {
      const index = place - this.first;
      if (index >= this.#sources.length && index < this.size)
        ids.push(this.#others[index - this.#sources.length]!.source.sessionId);
      else if (heads.has(index)) ids.push(this.#sources[index]!.sessionId);
    }
    resolveForksAmong(this.#catalog, entries, new Kinship(entries), ids);
    for (const [index, { forkedFrom }] of heads) if (forkedFrom !== undefined) this.#parents.set(index, forkedFrom);
  }

  /** Packed ones that may share a record with another session, or be what one was forked from. */
  #relatives(): Map<number, SessionHead> {
    const found = new Map<number, SessionHead>();
    if (this.#packed === undefined) return found;
    const keys = this.#others.flatMap(({ head }) => head.familyKeys ?? []);
    for (const index of this.#packed.related(keys)) found.set(index, this.#packed.kinFacts(index));
    const origins = new Set(this.#others.flatMap(({ head }) => head.forkedFrom ?? []));
    if (origins.size === 0) return found;
    for (const [index, { sessionId }] of this.#sources.entries())
      if (origins.has(sessionId) && !found.has(index)) found.set(index, this.#packed.kinFacts(index));
    return found;
  }

  /** As much as the texts of its rows take, or more. */
  get room(): number {
    let room = this.packedBytes;
    for (const parent of this.#parents.values()) room += Buffer.byteLength(forkedFromText(parent));
    for (const row of this.#others) room += Buffer.byteLength((row.text ??= textOfOther(row)));
    return room;
  }

  /** Of the texts of packed ones, and of what stands behind them. */
  get packedBytes(): number {
    return (this.#packed?.textBytes ?? 0) + (this.#tails?.bytes ?? 0);
  }

  /** Puts the texts of packed ones, in no order, into a buffer that rows are put into afterwards; tells where they are. */
  putTexts(target: Buffer, start: number, spans: RowSpans): void {
    const { first } = this;
    const others = first + this.#sources.length;
    this.#packed?.copyTexts(target, start, spans, first);
    if (this.#tails) {
      this.#tails.putTexts(target, start + (this.#packed?.textBytes ?? 0), spans.tails, first);
      for (let place = first; place < others; place++)
        if (spans.tails.ends[place] === 0) spans.starts[place]! |= UNFINISHED;
    }
    // Of these there is more to a row than its texts.
    for (const index of this.#parents.keys()) spans.starts[first + index]! |= UNFINISHED;
    for (let place = others; place < first + this.size; place++) spans.starts[place]! |= UNFINISHED;
  }

  /** Puts such a row into that buffer; gives where it ends. */
  put(index: number, target: Buffer, start: number, spans: RowSpans): number {
    if (index >= this.#sources.length)
      return start + target.write(this.#others[index - this.#sources.length]!.text!, start);
    const from = spans.starts[this.first + index]! & ~UNFINISHED;
    const to = spans.ends[this.first + index]!;
    target.copyWithin(start, from, to);
    const end = this.#tails?.put(index, target, start + to - from) ?? start + to - from;
    const parent = this.#parents.get(index);
    if (parent === undefined) return end;
    const inside = end - ROW_END.length;
    return inside + target.write(`${forkedFromText(parent)}${ROW_END}`, inside);
  }
}

/** Marks where a row begins that has more to it than the text there. */
const UNFINISHED = 2 ** 31;

function textOfOther({ summary, head: { forkedFrom } }: OtherRow): string {
  return rowText(forkedFrom === undefined ? summary : { ...summary, forkedFrom });
}

/** All sessions in the order of a list, by their places; undefined when one has no date. */
function orderOf(shares: readonly Share[], sign: 1 | -1): Uint32Array | undefined {
  let size = 0;
  for (const share of shares) {
    share.first = size;
    size += share.size;
  }
  const times = new Float64Array(size);
  for (const share of shares) share.putTimes(times);
  return dateOrder(times, sign, (place) => {
    const share = holderOf(shares, place);
    return share.unifiedId(place - share.first);
  });
}

function holderOf(shares: readonly Share[], place: number): Share {
  let index = shares.length - 1;
  while (index > 0 && shares[index]!.first > place) index--;
  return shares[index]!;
}

function emptySpans(size: number): TextSpans {
  return { starts: new Uint32Array(size), ends: new Uint32Array(size) };
}

function textOf(shares: readonly Share[], order: Uint32Array): Buffer {
  if (order.length === 0) return Buffer.from(listTextOf([]));
  // In one buffer with the rows as they lie: to copy from there is a single call each.
  let start = 0;
  for (const share of shares) start += share.packedBytes;
  const text = Buffer.allocUnsafeSlow(shares.reduce((room, share) => room + share.room, start + LIST_END.length));
  const size = shares.reduce((sum, share) => sum + share.size, 0);
  const spans = { ...emptySpans(size), tails: emptySpans(size) };
  let end = 0;
  for (const share of shares) {
    share.putTexts(text, end, spans);
    end += share.packedBytes;
  }
  // By their places: to be given one after the other takes longer than to copy them.
  for (let index = 0; index < order.length; index++) {
    const place = order[index]!;
    const from = spans.starts[place]!;
    if (from >= UNFINISHED) {
      const share = holderOf(shares, place);
      end = share.put(place - share.first, text, end, spans);
    } else {
      const to = spans.ends[place]!;
      text.copyWithin(end, from, to);
      end += to - from;
      const tailEnd = spans.tails.ends[place]!;
      if (tailEnd === 0) continue;
      const tail = spans.tails.starts[place]!;
      text.copyWithin(end, tail, tailEnd);
      end += tailEnd - tail;
    }
  }
  // In place of what separates a row from the one before it.
  text.write(LIST_START, start);
  end += text.write(LIST_END, end);
  return text.subarray(start, end);
}
