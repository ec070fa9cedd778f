/** Totals over the ledgers of several agents. */
import type { CostKind, CostSummary } from "../../core/cost.ts";
import { NO_TOKENS, tokensIn } from "../../core/tokens.ts";
import type { Catalog } from "../catalog.ts";
import type { CostAggregationOptions } from "../options.ts";
import type { Run } from "../run-index.ts";
import type { SummaryContext } from "../summary.ts";
import type { Account } from "./account.ts";
import { COST_KINDS, type CostItem } from "./cost-item.ts";
import { CostFilter } from "./filter.ts";
import {
  CostGroupSum,
  Grouping,
  groupsFrom,
  isDateGroup,
  zoneFrom,
  type CostGroup,
  type CostSums,
} from "./grouping.ts";
import { straddles, type Spending } from "./spending.ts";

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

/** Sums of similar requests; single requests where the date filter would cut a sum. Returns whether the session has any. */
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
  for (const [id, account] of accounts.all()) {
    if (account.usageUnknown) {
      const { head } = account;
      unknown.push(unknownItem(agent, id, head, head.createdMs ?? catalog.source(id)!.updatedMs));
    }
    if (isCut(account, since, until)) cut.push(id);
    else report.addSession(agent, id, report.isPlain ? account.totals : account.spending);
  }
  for (const entry of cut.length > 0 ? await accounts.entries(cut) : []) report.add(entry);
  for (const item of unknown) report.add(item);
  return (id) => (accounts.get(id)?.totals.length ?? 0) > 0;
}

/** The date filter cuts the sum. */
function isCut(account: Account, since: Date | undefined, until: Date | undefined): boolean {
  const moments = [since?.getTime(), until && until.getTime() + 1].filter((moment) => moment !== undefined);
  return moments.length > 0 && account.spending.some((sum) => moments.some((moment) => straddles(sum, moment)));
}

export class CostReport {
  readonly #context: SummaryContext;
  readonly #groups: readonly CostGroup[];
  readonly #grouping: Grouping;
  readonly #filter: CostFilter;
  /** Requests of one session differ only by kind: model, place and time do not matter. */
  readonly isPlain: boolean;
  readonly #zone;
  readonly #total = new CostGroupSum();
  readonly #runs = new Set<string>();
  readonly #kinds = new Map<CostKind, { requests: number; nanoUsd: number }>();
  #skipped = 0;

  constructor(options: CostAggregationOptions, context: SummaryContext) {
    this.#context = context;
    this.#groups = groupsFrom(options.groupBy);
    this.#zone = zoneFrom(options.timeZone);
    this.#grouping = new Grouping(this.#groups, this.#zone);
    this.#filter = new CostFilter(options);
    this.isPlain = this.#filter.wantsAll && this.#groups.every((group) => OF_SESSIONS.has(group));
  }

  /** Whether it is in the report. */
  add(item: CostItem): boolean {
    const runs = this.#context.runs.of(item.agent, item.sessionId);
    return this.#addOf(item, runs, this.#context.runs.tagsOf(item.agent, item.sessionId));
  }

  /** All sums of a session. */
  addSession(agent: string, sessionId: string, spending: readonly Spending[]): void {
    if (spending.length === 0) return;
    const runs = this.#context.runs.of(agent, sessionId);
    const tags = this.#context.runs.tagsOf(agent, sessionId);
    // Field by field, for speed with thousands.
    for (const { at, model, cwd, branch, subagent, tokens, nanoUsd, kind, requests } of spending) {
      const item = { agent, sessionId, at, model, cwd, branch, subagent, tokens, nanoUsd, kind, requests };
      this.#addOf(item, runs, tags);
    }
  }

  #addOf(item: CostItem, runs: readonly Run[], tags: readonly string[]): boolean {
    if (!this.#filter.wants(item.at, item.model, tags)) return false;
    for (const run of runs) this.#runs.add(run.runId);
    this.#count(item, tags);
    return true;
  }

  /** Runs of amux; their cost counts if the session left no usage on disk. */
  addRuns(agent: string, hasUsage: (sessionId: string) => boolean): void {
    for (const run of this.#context.runs.runs) {
      if (run.agent !== agent) continue;
      // For the other sessions the wanted requests are known by now.
      if (run.sessionId !== undefined && hasUsage(run.sessionId)) continue;
      if (!this.#filter.wants(run.at, run.model, run.tags)) continue;
      this.#runs.add(run.runId);
      const item = itemOfRun(run);
      if (item) this.#count(item, run.tags);
    }
  }

  /** Sums of the group at this path of keys, of sessions that are added nowhere else. Subgroups are added separately. */
  addSums(path: readonly string[], sums: CostSums): void {
    let group = this.#total;
    for (const key of path) group = group.child(key);
    group.countSums(sums, sums.sessions);
  }

  addKind(kind: CostKind, requests: number, nanoUsd: number): void {
    this.#countKind({ kind, requests, nanoUsd });
  }

  #countKind({ kind, requests, nanoUsd }: Pick<CostItem, "kind" | "requests" | "nanoUsd">): void {
    let counted = this.#kinds.get(kind);
    if (counted === undefined) this.#kinds.set(kind, (counted = { requests: 0, nanoUsd: 0 }));
    counted.requests += requests;
    counted.nanoUsd += nanoUsd;
  }

  /** Files that could not be read. */
  addSkipped(files: number): void {
    this.#skipped += files;
  }

  #count(item: CostItem, tags: readonly string[]): void {
    this.#grouping.add(this.#total, item, tags);
    this.#countKind(item);
  }

  /** Sessions counted in a group, without those added together with others. */
  sessionsIn(key: string): ReadonlySet<string> {
    return this.#total.sessionsIn(key);
  }

  build(): CostSummary {
    const { prices } = this.#context;
    const kindOf = (kind: CostKind): { requests: number; usd: number } => {
      const counted = this.#kinds.get(kind);
      return { requests: counted?.requests ?? 0, usd: (counted?.nanoUsd ?? 0) / 1e9 };
    };
    const { kind: _, ...figures } = this.#total.figures();
    return {
      ...figures,
      runCount: this.#runs.size,
      kinds: Object.fromEntries(COST_KINDS.map((kind) => [kind, kindOf(kind)])) as CostSummary["kinds"],
      ...(this.#groups.length > 0 ? { groupBy: [...this.#groups], breakdowns: this.#total.breakdowns() ?? {} } : {}),
      ...(this.#groups.some(isDateGroup) ? { timeZone: this.#zone.name } : {}),
      skipped: this.#skipped,
      prices: { version: prices.version, digest: prices.digest },
    };
  }
}

/** Groups that a whole session belongs to. */
const OF_SESSIONS: ReadonlySet<CostGroup> = new Set<CostGroup>(["agent", "session", "tag"]);

/** A session without token counts: it counts as a session, but is in no sum. */
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
    tokens: tokensIn(cost),
    nanoUsd: Math.round(cost.totalUsd * 1e9),
    kind: "reported",
    requests: 1,
  };
}
