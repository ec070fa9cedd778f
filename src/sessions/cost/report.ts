/** Totals over the ledgers of several agents. */
import type { CostKind, CostSummary } from "../../core/cost.ts";
import type { Catalog } from "../catalog.ts";
import type { CostAggregationOptions } from "../options.ts";
import type { Run } from "../run-index.ts";
import type { SummaryContext } from "../summary.ts";
import type { CostItem } from "./cost-item.ts";
import { CostFilter } from "./filter.ts";
import { CostGroupSum, Grouping, groupsFrom, zoneFrom, type CostGroup, type CostSums } from "./grouping.ts";
import { NO_TOKENS } from "./ledger.ts";
import type { Spent } from "../known-accounts.ts";
import { blankItem, type BlankItem, type SpendingRange } from "./spending.ts";

export async function costReport(
  catalogs: readonly Catalog[],
  options: CostAggregationOptions,
  context: SummaryContext,
  addMore?: (report: CostReport) => Promise<void>,
): Promise<CostReport> {
  const report = new CostReport(options, context);
  await addMore?.(report);
  for (const catalog of catalogs) {
    report.addRuns(catalog.adapter.name, await addSpent(report, catalog, options, context));
    report.addSkipped(catalog.notes.skippedCount);
  }
  return report;
}

/**
 * Sums of alike requests, and single requests where a sum would be cut by the dates that were asked for. Tells of a session
 * whether it has any.
 */
async function addSpent(
  report: CostReport,
  catalog: Catalog,
  { since, until }: CostAggregationOptions,
  context: SummaryContext,
): Promise<(id: string) => boolean> {
  const agent = catalog.adapter.name;
  const accounts = catalog.accounts(context.prices);
  await accounts.readAll();
  const unknown: CostItem[] = [];
  const cut: string[] = [];
  const { isTotal } = report;
  let alike: SpendingRange | undefined;
  for (const [id, account] of isTotal ? addTogether(report, accounts.spent()) : accounts.all()) {
    const { spending } = account;
    if (account.usageUnknown) {
      const { head } = account;
      unknown.push(unknownItem(agent, id, head, head.createdMs ?? catalog.source(id)!.updatedMs));
    }
    if (spending.from === spending.to) continue;
    if (isTotal && !account.usageUnknown) {
      // Of thousands most lie one behind the other, and are added in one go.
      if (alike?.table === spending.table && alike.to === spending.from) alike.to = spending.to;
      else {
        if (alike) report.addTotal(alike);
        alike = { table: spending.table, from: spending.from, to: spending.to };
      }
      report.countSessions(1);
    } else if (isCut(spending, since, until)) cut.push(id);
    else report.addSession(agent, id, spending);
  }
  if (alike) report.addTotal(alike);
  for (const entry of cut.length > 0 ? await accounts.entries(cut) : []) report.add(entry);
  for (const item of unknown) report.add(item);
  return (id) => {
    const spending = accounts.get(id)?.spending;
    return spending !== undefined && spending.from < spending.to;
  };
}

/** Gives those that were not. */
function addTogether(report: CostReport, { ranges, spenders, others }: Spent): Spent["others"] {
  for (const range of ranges) report.addTotal(range);
  report.countSessions(spenders);
  return others;
}

/** A sum of requests is partly within the dates. */
function isCut({ table, from, to }: SpendingRange, since: Date | undefined, until: Date | undefined): boolean {
  for (let row = from; row < to; row++) {
    if (since && table.straddles(row, since.getTime())) return true;
    if (until && table.straddles(row, until.getTime() + 1)) return true;
  }
  return false;
}

export class CostReport {
  readonly #context: SummaryContext;
  readonly #groups: readonly CostGroup[];
  readonly #grouping: Grouping;
  readonly #filter: CostFilter;
  /** Requests of one session are told apart by their kind only. */
  readonly #isPlain: boolean;
  readonly #zone;
  readonly #total = new CostGroupSum();
  readonly #runs = new Set<string>();
  readonly #kinds = new Map<CostKind, { requests: number; nanoUsd: number }>();
  #skipped = 0;
  /** Of a total. */
  readonly #plain = new Map<CostKind, BlankItem>();
  #plainSessions = 0;

  constructor(options: CostAggregationOptions, context: SummaryContext) {
    this.#context = context;
    this.#groups = groupsFrom(options.groupBy);
    this.#zone = zoneFrom(options.timeZone);
    this.#grouping = new Grouping(this.#groups, this.#zone);
    this.#filter = new CostFilter(options);
    this.#isPlain = this.#filter.wantsAll && this.#groups.every((group) => OF_SESSIONS.has(group));
  }

  /** Whether it is in the report. */
  add(item: CostItem): boolean {
    const runs = this.#context.runs.of(item.agent, item.sessionId);
    return this.#addOf(item, runs, tagsOf(runs));
  }

  /** Nothing is left out, nor told apart. */
  get isTotal(): boolean {
    return this.#filter.wantsAll && this.#groups.length === 0;
  }

  /** Sums of sessions that are added nowhere else, to a report that is a total. */
  addTotal({ table, from, to }: SpendingRange): void {
    table.addKinds(this.#plain, from, to);
  }

  /** So many whose sums are in a total. */
  countSessions(count: number): void {
    this.#plainSessions += count;
  }

  /** All sums of a session. */
  addSession(agent: string, sessionId: string, { table, from, to }: SpendingRange): void {
    const runs = this.#context.runs.of(agent, sessionId);
    const tags = tagsOf(runs);
    const item = blankItem(agent, sessionId);
    for (let row = from; row < to;) {
      if (this.#filter.isBefore(table.span(row).from)) {
        row++;
        continue;
      }
      // Where neither model, place nor time matters, all of one kind are as good as one.
      const next = this.#isPlain ? table.endOfKind(row, to) : row + 1;
      table.fill(item, row);
      if (next > row + 1) table.addTo(item, row + 1, next);
      this.#addOf(item, runs, tags);
      row = next;
    }
  }

  #addOf(item: CostItem, runs: readonly Run[], tags: readonly string[]): boolean {
    if (!this.#filter.wants(item.at, item.model, tags)) return false;
    for (const run of runs) this.#runs.add(run.runId);
    this.#count(item, tags);
    return true;
  }

  /** Runs of amux itself; what they cost counts where the session left no usage on disk. */
  addRuns(agent: string, hasUsage: (sessionId: string) => boolean): void {
    for (const run of this.#context.runs.runs) {
      if (run.agent !== agent) continue;
      if (run.sessionId !== undefined && hasUsage(run.sessionId)) {
        // Of others it is known by then which of their requests are wanted.
        if (this.isTotal) this.#runs.add(run.runId);
        continue;
      }
      if (!this.#filter.wants(run.at, run.model, run.tags)) continue;
      this.#runs.add(run.runId);
      const item = itemOfRun(run);
      if (item) this.#count(item, run.tags);
    }
  }

  /** Sums of a group at this path of keys, of sessions that are added nowhere else; subgroups are added by themselves. */
  addSums(path: readonly string[], sums: CostSums): void {
    let group = this.#total;
    for (const key of path) group = group.child(key);
    group.countSums(sums);
  }

  addKind(kind: CostKind, requests: number, nanoUsd: number): void {
    const counted = this.#kinds.get(kind) ?? { requests: 0, nanoUsd: 0 };
    this.#kinds.set(kind, { requests: counted.requests + requests, nanoUsd: counted.nanoUsd + nanoUsd });
  }

  /** Files that could not be read. */
  addSkipped(files: number): void {
    this.#skipped += files;
  }

  #count(item: CostItem, tags: readonly string[]): void {
    this.#grouping.add(this.#total, item, tags);
    let kind = this.#kinds.get(item.kind);
    if (kind === undefined) this.#kinds.set(item.kind, (kind = { requests: 0, nanoUsd: 0 }));
    kind.requests += item.requests;
    kind.nanoUsd += item.nanoUsd;
  }

  /** Sessions that are counted in a group, but for those that were added with others. */
  sessionsIn(key: string): ReadonlySet<string> {
    return this.#total.sessionsIn(key);
  }

  build(): CostSummary {
    const { prices } = this.#context;
    for (const sum of this.#plain.values()) {
      this.#total.countSums({ ...sum, sessions: 0 });
      this.addKind(sum.kind, sum.requests, sum.nanoUsd);
    }
    this.#total.countSessions(this.#plainSessions);
    const kindOf = (kind: CostKind): { requests: number; usd: number } => {
      const counted = this.#kinds.get(kind);
      return { requests: counted?.requests ?? 0, usd: (counted?.nanoUsd ?? 0) / 1e9 };
    };
    const { kind: _, ...figures } = this.#total.figures();
    return {
      ...figures,
      runCount: this.#runs.size,
      kinds: {
        reported: kindOf("reported"),
        computed: kindOf("computed"),
        "lower-bound": kindOf("lower-bound"),
        unpriced: kindOf("unpriced"),
        unknown: kindOf("unknown"),
      },
      ...(this.#groups.length > 0 ? { groupBy: [...this.#groups], breakdowns: this.#total.breakdowns() ?? {} } : {}),
      ...(this.#groups.includes("day") ? { timeZone: this.#zone.name } : {}),
      skipped: this.#skipped,
      prices: { version: prices.version, digest: prices.digest },
    };
  }
}

/** Groups that all of a session belongs to. */
const OF_SESSIONS: ReadonlySet<CostGroup> = new Set<CostGroup>(["agent", "session", "tag"]);

function tagsOf(runs: readonly Run[]): readonly string[] {
  return runs.length === 0 ? NO_TAGS : [...new Set(runs.flatMap((run) => run.tags))];
}

const NO_TAGS: readonly string[] = [];

/** A session without token counts: it is in the number of sessions, and in no sum. */
export function unknownItem(
  agent: string,
  sessionId: string,
  { model, cwd, branch }: { model?: string; cwd?: string; branch?: string },
  at: number,
): CostItem {
  const nothing = { tokens: NO_TOKENS, nanoUsd: 0, kind: "unknown", requests: 1, subagent: undefined } as const;
  return { agent, sessionId, at, model, cwd, branch, ...nothing };
}

function itemOfRun({ agent, runId, sessionId = runId, at, model, cost }: Run): CostItem | undefined {
  if (!cost) return undefined;
  return {
    agent,
    sessionId,
    at,
    model,
    cwd: undefined,
    branch: undefined,
    subagent: undefined,
    tokens: {
      ...NO_TOKENS,
      input: cost.inputTokens,
      output: cost.outputTokens,
      thinking: cost.thinkingTokens ?? 0,
      cached: cost.cachedTokens ?? 0,
    },
    nanoUsd: Math.round(cost.totalUsd * 1e9),
    kind: "reported",
    requests: 1,
  };
}
