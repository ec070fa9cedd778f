/** Expands a report into its requests and the dropped copies. */
import type { AppliedPrice, CostExplanation, CostRequest, DroppedRequest } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { figuresOf } from "../../core/tokens.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { RequestPrice } from "../../models/price-request.ts";
import type { Catalog } from "../catalog.ts";
import type { CostExplanationOptions } from "../options.ts";
import type { SummaryContext } from "../summary.ts";
import { CostFilter } from "./filter.ts";
import { settle, type DroppedEntry, type LedgerEntry } from "./ledger.ts";
import { CostReport, unknownItem } from "./report.ts";

export async function explainCost(
  catalogs: readonly Catalog[],
  options: CostExplanationOptions,
  context: SummaryContext,
): Promise<CostExplanation> {
  const report = new CostReport(options, context);
  const filter = new CostFilter(options);
  const requests: CostRequest[] = [];
  const dropped: DroppedRequest[] = [];
  for (const catalog of catalogs) {
    const agent = catalog.adapter.name;
    const entries = await catalog.entries();
    const only = options.sessionId === undefined ? undefined : await withSubagents(catalog, options.sessionId);
    const ledger = settle(agent, await catalog.tallies(only ?? entries.keys()), context.prices);
    for (const entry of ledger.entries) {
      if (only && !only.has(entry.sessionId)) continue;
      if (report.add(entry)) requests.push(requestOf(entry));
    }
    for (const entry of ledger.dropped) {
      // For one session: what it copied, and what was copied from it.
      if (only && !only.has(entry.sessionId) && !only.has(entry.owner)) continue;
      const tags = context.runs.tagsOf(agent, entry.sessionId);
      if (filter.wants(entry.at, entry.model, tags)) dropped.push(droppedRequestOf(entry));
    }
    for (const sessionId of ledger.unknownSessions) {
      if (only && !only.has(sessionId)) continue;
      const { head, source } = entries.get(sessionId)!;
      report.add(unknownItem(agent, sessionId, head, head.createdMs ?? source.updatedMs));
    }
    const spenders = new Set(ledger.entries.map((entry) => entry.sessionId));
    if (!only) report.addRuns(agent, (id) => spenders.has(id));
    report.addSkipped(catalog.notes.skippedCount);
  }
  return { summary: report.build(), requests: requests.sort(byTime), dropped: dropped.sort(byTime) };
}

/** Undated entries come last. */
function byTime(a: CostRequest | DroppedRequest, b: CostRequest | DroppedRequest): number {
  const at = a.timestamp?.getTime() ?? Number.MAX_SAFE_INTEGER;
  const other = b.timestamp?.getTime() ?? Number.MAX_SAFE_INTEGER;
  if (at !== other) return at - other;
  return a.session === b.session ? 0 : a.session < b.session ? -1 : 1;
}

async function withSubagents(catalog: Catalog, sessionId: string): Promise<Set<string>> {
  if (!(await catalog.entries()).has(sessionId)) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `No ${catalog.adapter.name} session has the id "${sessionId}".`);
  }
  return new Set([sessionId, ...(await catalog.related()).descendants(sessionId)]);
}

function requestOf(entry: LedgerEntry): CostRequest {
  return {
    agent: entry.agent,
    session: joinUnifiedId(entry.agent, entry.sessionId),
    key: entry.key,
    ...(entry.at !== undefined ? { timestamp: new Date(entry.at) } : {}),
    ...(entry.model !== undefined ? { model: entry.model } : {}),
    ...(entry.cwd !== undefined ? { cwd: entry.cwd } : {}),
    ...(entry.branch !== undefined ? { branch: entry.branch } : {}),
    ...(entry.subagent !== undefined ? { subagent: entry.subagent } : {}),
    ...figuresOf(entry.tokens),
    ...(entry.webSearches !== undefined ? { webSearches: entry.webSearches } : {}),
    usd: entry.nanoUsd / 1e9,
    kind: entry.kind,
    ...(entry.price ? { price: appliedPrice(entry, entry.price) } : {}),
    ...(entry.note !== undefined ? { note: entry.note } : {}),
    ...(entry.copied === true ? { copied: true } : {}),
  };
}

function appliedPrice({ modifiers, webSearches }: LedgerEntry, { row, tier, multiplier }: RequestPrice): AppliedPrice {
  const { model, vendor, rates, tiers, webSearch } = row!;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = tiers.find(({ above }) => above === tier) ?? rates;
  return {
    model,
    vendor,
    input,
    output,
    ...(cacheRead !== undefined ? { cacheRead } : {}),
    ...(cacheWrite !== undefined ? { cacheWrite } : {}),
    ...(cacheWrite1h !== undefined ? { cacheWrite1h } : {}),
    ...(webSearches !== undefined && webSearch !== undefined ? { webSearch } : {}),
    ...(tier !== undefined ? { tier } : {}),
    multiplier,
    ...(modifiers !== undefined ? { modifiers: [...modifiers] } : {}),
  };
}

function droppedRequestOf({ agent, sessionId, key, at, model, owner }: DroppedEntry): DroppedRequest {
  return {
    agent,
    session: joinUnifiedId(agent, sessionId),
    key,
    ...(at !== undefined ? { timestamp: new Date(at) } : {}),
    ...(model !== undefined ? { model } : {}),
    owner: joinUnifiedId(agent, owner),
  };
}
