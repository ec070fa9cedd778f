/**
 * One entry per billed request, each priced and with its kind. A request that several sessions hold (forks, resumes by
 * copy) is billed to the one that made it; the others are kept as dropped entries, so that every figure can be opened.
 */
import type { ReportedTotal, SessionTally, UsageRecord } from "../agents/adapter.ts";
import type { CostKind, CostRecord, TokenCounts } from "../core/cost.ts";
import type { PriceTable } from "../models/price-table.ts";
import { priceUsage } from "../models/price-request.ts";

export interface LedgerEntry {
  agent: string;
  /** The session that made the request. */
  sessionId: string;
  key: string;
  at?: number;
  model?: string;
  tokens: TokenCounts;
  nanoUsd: number;
  kind: CostKind;
  subagent?: string;
  /** Why the figure is not simply tokens times price. */
  note?: string;
}

export interface DroppedEntry {
  agent: string;
  sessionId: string;
  key: string;
  /** The session the same request is billed to. */
  owner: string;
}

export interface Ledger {
  entries: LedgerEntry[];
  dropped: DroppedEntry[];
  /** Sessions with replies whose agent wrote no token counts. */
  unknownSessions: string[];
}

const NO_TOKENS: TokenCounts = { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 };

export function settle(agent: string, tallies: ReadonlyMap<string, SessionTally>, prices: PriceTable): Ledger {
  const owners = findOwners(tallies);
  const ledger: Ledger = { entries: [], dropped: [], unknownSessions: [] };
  for (const [sessionId, tally] of tallies) {
    if (tally.head.usageUnknown) ledger.unknownSessions.push(sessionId);
    const total = tally.reportedTotals?.at(-1);
    const owned: LedgerEntry[] = [];
    tally.usage.forEach((record, index) => {
      const owner = owners.get(record.key)!;
      if (owner.sessionId !== sessionId)
        ledger.dropped.push({ agent, sessionId, key: record.key, owner: owner.sessionId });
      else owned.push(toEntry(agent, sessionId, record, prices, total !== undefined && index < total.covers));
    });
    if (total) owned.push(...differences(agent, sessionId, total, owned));
    for (const entry of owned) ledger.entries.push(entry);
  }
  return ledger;
}

interface Claim {
  sessionId: string;
  copied: boolean;
  at: number;
  startedMs: number;
}

function findOwners(tallies: ReadonlyMap<string, SessionTally>): Map<string, Claim> {
  const owners = new Map<string, Claim>();
  for (const [sessionId, { head, usage }] of tallies) {
    const startedMs = head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
    for (const record of usage) {
      const claim: Claim = {
        sessionId,
        copied: record.copied ?? false,
        at: record.at ?? Number.MAX_SAFE_INTEGER,
        startedMs,
      };
      const known = owners.get(record.key);
      if (known === undefined || isBetter(claim, known)) owners.set(record.key, claim);
    }
  }
  return owners;
}

/** The original is not marked as a copy; among equals it is dated earliest, in the file begun first. */
function isBetter(a: Claim, b: Claim): boolean {
  if (a.copied !== b.copied) return !a.copied;
  if (a.at !== b.at) return a.at < b.at;
  if (a.startedMs !== b.startedMs) return a.startedMs < b.startedMs;
  return a.sessionId < b.sessionId;
}

function toEntry(
  agent: string,
  sessionId: string,
  record: UsageRecord,
  prices: PriceTable,
  covered: boolean,
): LedgerEntry {
  const priced = priceUsage(record, prices);
  return {
    agent,
    sessionId,
    key: record.key,
    ...(record.at !== undefined ? { at: record.at } : {}),
    ...(record.model !== undefined ? { model: record.model } : {}),
    tokens: record.tokens,
    nanoUsd: priced.nanoUsd,
    // The agent's own total includes this request, whatever the table makes of it.
    kind: covered ? "reported" : priced.kind,
    ...(record.subagent !== undefined ? { subagent: record.subagent } : {}),
  };
}

/**
 * What the agent's own total has beyond the requests in the transcript: titles, compactions and other requests that
 * leave no message, or a price that differs from the table's.
 */
function differences(
  agent: string,
  sessionId: string,
  total: ReportedTotal,
  owned: readonly LedgerEntry[],
): LedgerEntry[] {
  const rest = new Map(Object.entries(total.byModel).map(([model, microUsd]) => [model, Math.round(microUsd * 1000)]));
  for (const entry of owned.filter((candidate) => candidate.kind === "reported")) {
    rest.set(entry.model ?? "", (rest.get(entry.model ?? "") ?? 0) - entry.nanoUsd);
  }
  return [...rest]
    .filter(([, nanoUsd]) => nanoUsd !== 0)
    .map(([model, nanoUsd]) => ({
      agent,
      sessionId,
      key: `${sessionId}#total:${model}`,
      ...(total.at !== undefined ? { at: total.at } : {}),
      model,
      tokens: NO_TOKENS,
      nanoUsd,
      kind: "reported" as const,
      note: "in the agent's own total, but not in the transcript",
    }));
}

const WEAKEST_FIRST: readonly CostKind[] = ["unknown", "unpriced", "lower-bound", "computed", "reported"];

/** The sum of entries as a cost record; undefined when there is nothing to say. */
export function costOf(
  entries: readonly LedgerEntry[],
  isSubagent: (entry: LedgerEntry) => boolean,
): CostRecord | undefined {
  if (entries.length === 0) return undefined;
  const total = sumOf(entries);
  const helpers = entries.filter(isSubagent);
  return helpers.length > 0 ? { ...total, subagents: sumOf(helpers) } : total;
}

export function sumOf(entries: readonly LedgerEntry[]): CostRecord {
  let nanoUsd = 0;
  const tokens: TokenCounts = { ...NO_TOKENS };
  let kind: CostKind = "reported";
  for (const entry of entries) {
    nanoUsd += entry.nanoUsd;
    for (const field of Object.keys(tokens) as (keyof TokenCounts)[]) tokens[field] += entry.tokens[field];
    if (WEAKEST_FIRST.indexOf(entry.kind) < WEAKEST_FIRST.indexOf(kind)) kind = entry.kind;
  }
  return {
    totalUsd: nanoUsd / 1e9,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    thinkingTokens: tokens.thinking,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens: tokens.cacheWrite1h,
    kind,
  };
}

export const UNKNOWN_COST: CostRecord = { totalUsd: 0, inputTokens: 0, outputTokens: 0, kind: "unknown" };
