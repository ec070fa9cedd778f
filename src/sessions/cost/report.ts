/** Totals over the ledgers of several agents. */
import type { CostBreakdown, CostKind, CostSummary, TokenCounts } from "../core/cost.ts";
import { localDay } from "../lib/local-day.ts";
import type { Catalog } from "./catalog.ts";
import { settle, type LedgerEntry } from "./ledger.ts";
import type { CostAggregationOptions } from "./options.ts";
import type { Run } from "./run-index.ts";
import type { SummaryContext } from "./summary.ts";

export async function costReport(
  catalogs: readonly Catalog[],
  options: CostAggregationOptions,
  context: SummaryContext,
): Promise<CostSummary> {
  const report = new Report(options, context);
  for (const catalog of catalogs) {
    const agent = catalog.adapter.name;
    const entries = await catalog.entries();
    const tallies = await catalog.tallies(entries.keys());
    const ledger = settle(agent, tallies, context.prices);
    for (const entry of ledger.entries) report.add(entry);
    for (const sessionId of ledger.unknownSessions) {
      const { head, source } = entries.get(sessionId)!;
      report.addUnknown(agent, sessionId, head.createdMs ?? source.updatedMs, head.model);
    }
    const known = new Set(ledger.entries.map((entry) => entry.sessionId));
    for (const run of context.runs.runs) if (run.agent === agent && !known.has(run.sessionId ?? "")) report.addRun(run);
  }
  return report.build();
}

class Report {
  readonly #options: CostAggregationOptions;
  readonly #context: SummaryContext;
  readonly #total = new Sum();
  readonly #groups = new Map<string, Sum>();
  readonly #runs = new Set<string>();
  readonly #kinds = new Map<CostKind, { requests: number; nanoUsd: number }>();

  constructor(options: CostAggregationOptions, context: SummaryContext) {
    this.#options = options;
    this.#context = context;
  }

  add(entry: LedgerEntry): void {
    const tags = this.#tagsOf(entry.agent, entry.sessionId);
    if (!this.#wanted(entry.at, entry.model, tags)) return;
    this.#count(entry, tags, entry.kind === "reported" && entry.note !== undefined ? 0 : 1);
    for (const run of this.#context.runs.of(entry.agent, entry.sessionId)) this.#runs.add(run.runId);
  }

  /** A session without token counts: it is in the number of sessions, and in no sum. */
  addUnknown(agent: string, sessionId: string, at: number, model: string | undefined): void {
    const tags = this.#tagsOf(agent, sessionId);
    if (!this.#wanted(at, model, tags)) return;
    const entry: LedgerEntry = {
      agent,
      sessionId,
      key: "",
      at,
      tokens: NOTHING,
      nanoUsd: 0,
      kind: "unknown",
      ...(model !== undefined ? { model } : {}),
    };
    this.#count(entry, tags, 1);
  }

  /** A run whose session left no usage on disk. */
  addRun(run: Run): void {
    if (!this.#wanted(run.at, run.model, run.tags)) return;
    this.#runs.add(run.runId);
    if (!run.cost) return;
    const { cost } = run;
    this.#count(
      {
        agent: run.agent,
        sessionId: run.sessionId ?? run.runId,
        key: run.runId,
        ...(run.at !== undefined ? { at: run.at } : {}),
        ...(run.model !== undefined ? { model: run.model } : {}),
        tokens: {
          ...NOTHING,
          input: cost.inputTokens,
          output: cost.outputTokens,
          thinking: cost.thinkingTokens ?? 0,
          cached: cost.cachedTokens ?? 0,
        },
        nanoUsd: Math.round(cost.totalUsd * 1e9),
        kind: "reported",
      },
      run.tags,
      1,
    );
  }

  #tagsOf(agent: string, sessionId: string): string[] {
    return [...new Set(this.#context.runs.of(agent, sessionId).flatMap((run) => run.tags))];
  }

  /** By the time of the request, not of the session: a session can run over many days. */
  #wanted(at: number | undefined, model: string | undefined, tags: readonly string[]): boolean {
    const { since, until, model: wantedModel, tags: wantedTags } = this.#options;
    if (since && (at === undefined || at < since.getTime())) return false;
    if (until && (at === undefined || at > until.getTime())) return false;
    if (wantedModel !== undefined && model !== wantedModel) return false;
    return !wantedTags || wantedTags.length === 0 || wantedTags.some((tag) => tags.includes(tag));
  }

  #count(entry: LedgerEntry, tags: readonly string[], requests: number): void {
    this.#total.add(entry, requests);
    const kind = this.#kinds.get(entry.kind) ?? { requests: 0, nanoUsd: 0 };
    kind.requests += requests;
    kind.nanoUsd += entry.nanoUsd;
    this.#kinds.set(entry.kind, kind);
    for (const key of this.#groupKeys(entry, tags)) {
      const group = this.#groups.get(key) ?? new Sum();
      group.add(entry, requests);
      this.#groups.set(key, group);
    }
  }

  #groupKeys(entry: LedgerEntry, tags: readonly string[]): readonly string[] {
    switch (this.#options.groupBy) {
      case "agent":
        return [entry.agent];
      case "model":
        return [entry.model ?? "(unknown model)"];
      case "day":
        return [entry.at === undefined ? "(no date)" : localDay(entry.at)];
      case "tag":
        return tags.length > 0 ? tags : ["(untagged)"];
      default:
        return [];
    }
  }

  build(): CostSummary {
    const { prices } = this.#context;
    const kindOf = (kind: CostKind): { requests: number; usd: number } => {
      const counted = this.#kinds.get(kind);
      return { requests: counted?.requests ?? 0, usd: (counted?.nanoUsd ?? 0) / 1e9 };
    };
    const breakdowns: Record<string, CostBreakdown> = {};
    for (const key of [...this.#groups.keys()].sort()) breakdowns[key] = { key, ...this.#groups.get(key)!.figures() };
    return {
      ...this.#total.figures(),
      runCount: this.#runs.size,
      kinds: {
        reported: kindOf("reported"),
        computed: kindOf("computed"),
        "lower-bound": kindOf("lower-bound"),
        unpriced: kindOf("unpriced"),
        unknown: kindOf("unknown"),
      },
      ...(this.#options.groupBy ? { breakdowns } : {}),
      prices: { version: prices.version, digest: prices.digest },
    };
  }
}

const NOTHING: TokenCounts = { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 };

class Sum {
  #nanoUsd = 0;
  #requests = 0;
  readonly #tokens: TokenCounts = { ...NOTHING };
  readonly #sessions = new Set<string>();

  add(entry: LedgerEntry, requests: number): void {
    this.#nanoUsd += entry.nanoUsd;
    this.#requests += requests;
    for (const field of Object.keys(this.#tokens) as (keyof TokenCounts)[]) this.#tokens[field] += entry.tokens[field];
    this.#sessions.add(`${entry.agent}:${entry.sessionId}`);
  }

  figures(): Omit<CostBreakdown, "key"> {
    return {
      totalUsd: this.#nanoUsd / 1e9,
      inputTokens: this.#tokens.input,
      outputTokens: this.#tokens.output,
      thinkingTokens: this.#tokens.thinking,
      cachedTokens: this.#tokens.cached,
      cacheWriteTokens: this.#tokens.cacheWrite,
      cacheWrite1hTokens: this.#tokens.cacheWrite1h,
      sessionCount: this.#sessions.size,
      requestCount: this.#requests,
    };
  }
}
