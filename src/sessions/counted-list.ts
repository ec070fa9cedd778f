/**
 * A list of all sessions with their counts and costs, as text: most rows are made by the adapters where they count, and most
 * costs where they are added up; they are never objects here. The others are made as in every list.
 */
import type { SessionSource } from "../agents/adapter.ts";
import { isPacked, type TextSpans } from "../agents/packed-rows.ts";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import { SettledSessions } from "./cost/account.ts";
import type { CostTexts } from "./cost/cost-text.ts";
import { Kinship } from "./kinship.ts";
import { DEFAULT_LIMIT } from "./list.ts";
import { costTextOf, ROW_END, rowPieces } from "./list-text.ts";
import type { SessionListOptions } from "./options.ts";
import { isUnfiltered, Share, textOfShares, type OtherRow, type RowTails } from "./packed-list.ts";
import type { CountedSessions } from "./session-counter.ts";
import { exactSummary, sessionCosts, summaryOf, type SummaryContext } from "./summary.ts";

/** Every session is shown with its counts, and none is chosen by what it says. */
export function isCounted(options: SessionListOptions, catalogs: readonly Catalog[]): boolean {
  if (options.counts !== true || !isUnfiltered(options)) return false;
  const { limit = DEFAULT_LIMIT } = options;
  return limit >= catalogs.reduce((sum, { size }) => sum + size, 0);
}

/** Undefined when the list has to be made as every other. */
export async function countedListText(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<Buffer | undefined> {
  return textOfShares(catalogs, options, async (catalog) => countedShare(catalog, context));
}

async function countedShare(catalog: Catalog, context: SummaryContext): Promise<Share | undefined> {
  const { name, history } = catalog.adapter;
  if (catalog.size === 0) return new Share(catalog, undefined, [], []);
  const packer = history?.countRows?.(rowPieces(name));
  const hasRuns = context.runs.runs.length > 0;
  const counted = await catalog.countPacked(
    packer,
    ({ sessionId }) => !hasRuns || context.runs.of(name, sessionId).length === 0,
  );
  if (counted === undefined) return undefined;
  const { sessions } = counted;
  const settled = new SettledSessions(counted, context.prices);
  const entries = new Map<string, CatalogEntry>();
  /** Packed ones that a sub-agent wrote. */
  const children = new Map<string, CatalogEntry>();
  const packed: number[] = [];
  const sources: SessionSource[] = [];
  sessions.forEach((session, index) => {
    const source = catalog.source(session.sessionId)!;
    if (isPacked(session)) {
      packed.push(index);
      sources.push(source);
      if (session.head.parentId !== undefined) children.set(session.sessionId, { source, head: session.head });
    } else entries.set(session.sessionId, { source, head: { ...settled.account(index).head } });
  });
  const uncounted = uncountedHeads(catalog, counted);
  if ([...uncounted.values()].some(({ head }) => head.titlesForOthers)) {
    counted.rows.discard();
    return undefined;
  }
  const kin = new Kinship(new Map([...entries, ...uncounted, ...children]));
  const places = new Places(sessions);
  const spent = { get: (id: string) => spendingIn(settled, places.of(id)) };
  const costOf = sessionCosts(spent, kin, context.runs, name);
  const others: OtherRow[] = [];
  for (const [id, { source, head }] of entries) {
    const account = settled.account(places.of(id)!);
    const summary = exactSummary(name, source, account, costOf(id, account.head), context);
    others.push({ source, head, summary });
  }
  for (const { source, head } of uncounted.values())
    others.push({ source, head, summary: summaryOf(name, source, head, context) });
  // What sub-agents' sessions cost is a part of their parents' cost.
  const asRecord = (row: number): string | undefined => {
    const cost = costOf(sources[row]!.sessionId, { title: "" });
    return cost && costTextOf(cost);
  };
  const hasKin = entries.size + uncounted.size + children.size > 0;
  const isParent = (row: number): boolean => hasKin && kin.children(sources[row]!.sessionId).length > 0;
  const tails = new CostTails(settled.costTexts(packed, ROW_END), packed.length, isParent, asRecord);
  // All that is shown of them was made.
  counted.rows.discard();
  return new Share(catalog, packer, sources, others, tails);
}

function spendingIn(settled: SettledSessions, place: number | undefined): Pick<OwnSpending, "spending"> | undefined {
  return place === undefined ? undefined : { spending: settled.spending(place) };
}

interface OwnSpending {
  spending: ReturnType<SettledSessions["spending"]>;
}

/** Where sessions come among those that were counted. Of most, nobody asks. */
class Places {
  readonly #sessions: readonly { sessionId: string }[];
  #places: Map<string, number> | undefined;

  constructor(sessions: readonly { sessionId: string }[]) {
    this.#sessions = sessions;
  }

  of(id: string): number | undefined {
    this.#places ??= new Map(this.#sessions.map(({ sessionId }, index) => [sessionId, index]));
    return this.#places.get(id);
  }
}

/** Sessions that could not be counted, as far as their ends tell. */
function uncountedHeads(catalog: Catalog, { sessions, empty }: CountedSessions): Map<string, CatalogEntry> {
  const found = new Map<string, CatalogEntry>();
  if (sessions.length + empty.length === catalog.size) return found;
  const isKnown = new Set([...empty, ...sessions.map(({ sessionId }) => sessionId)]);
  for (const source of catalog.sources()) {
    const { sessionId } = source;
    const head = isKnown.has(sessionId) ? undefined : catalog.head(sessionId);
    if (head) found.set(sessionId, { source, head });
  }
  return found;
}

/** What sessions cost, as their rows end with it. */
class CostTails implements RowTails {
  readonly bytes: number;
  readonly #texts: Buffer;
  readonly #costs: CostTexts;
  /** Of those that are not simply the sum of their own requests. */
  readonly #records = new Map<number, string>();

  constructor(
    costs: CostTexts,
    count: number,
    isParent: (row: number) => boolean,
    asRecord: (row: number) => string | undefined,
  ) {
    this.#costs = costs;
    this.#texts = Buffer.allocUnsafeSlow(costs.bytes);
    costs.copy(this.#texts, 0);
    let bytes = costs.bytes;
    for (let row = 0; row < count; row++) {
      const isOwn = !isParent(row);
      const end = costs.end(row);
      if (isOwn && end > costs.start(row)) continue;
      const record = `${(isOwn && end !== -1 ? undefined : asRecord(row)) ?? ""}${ROW_END}`;
      this.#records.set(row, record);
      bytes += record.length;
    }
    this.bytes = bytes;
  }

  putTexts(target: Buffer, start: number, { starts, ends }: TextSpans, first: number): void {
    this.#texts.copy(target, start);
    this.#costs.putSpans(start, starts, ends, first);
    for (const row of this.#records.keys()) ends[first + row] = 0;
  }

  put(row: number, target: Buffer, start: number): number {
    const record = this.#records.get(row);
    if (record !== undefined) return start + target.write(record, start, "latin1");
    const [from, to] = [this.#costs.start(row), this.#costs.end(row)];
    this.#texts.copy(target, start, from, to);
    return start + to - from;
  }
}
