/**
 * One entry per billed request, each priced and with its kind. A request that several sessions hold (forks, resumes by
 * copy) is billed to the one that made it; the others are kept as dropped entries, so that every figure can be opened.
 */
import type { ReportedTotal, SessionTally, UsageRecord } from "../../agents/adapter.ts";
import type { TokenCounts } from "../../core/cost.ts";
import type { PriceTable } from "../../models/price-table.ts";
import { priceUsage, type RequestPrice } from "../../models/price-request.ts";
import type { CostItem } from "./cost-item.ts";
import { keyNumber } from "./key-number.ts";
import { checkUsage } from "./quarantine.ts";

export interface LedgerEntry extends CostItem {
  key: string;
  /** What the figure was computed with; undefined when it was not. */
  price: RequestPrice | undefined;
  modifiers: readonly string[] | undefined;
  webSearches: number | undefined;
  /** Why the figure is not simply tokens times price. */
  note: string | undefined;
}

export interface DroppedEntry {
  agent: string;
  sessionId: string;
  /** The same as the owner's. */
  key: string;
  at: number | undefined;
  model: string | undefined;
  /** The session the same request is billed to. */
  owner: string;
}

export interface Ledger {
  entries: LedgerEntry[];
  dropped: DroppedEntry[];
  /** Sessions with replies whose agent wrote no token counts. */
  unknownSessions: string[];
}

export const NO_TOKENS: Readonly<TokenCounts> = {
  input: 0,
  cached: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  thinking: 0,
};

export function settle(
  agent: string,
  tallies: ReadonlyMap<string, SessionTally>,
  prices: PriceTable,
  now = Date.now(),
): Ledger {
  const owners = findOwners(tallies);
  const ledger: Ledger = { entries: [], dropped: [], unknownSessions: [] };
  for (const [sessionId, tally] of tallies) {
    if (tally.head.usageUnknown) ledger.unknownSessions.push(sessionId);
    const total = tally.reportedTotals?.at(-1);
    const owned: LedgerEntry[] = [];
    tally.usage.forEach((record, index) => {
      const { key, at, model } = record;
      const owner = owners.get(key);
      if (owner !== undefined && owner.sessionId !== sessionId)
        ledger.dropped.push({ agent, sessionId, key, at, model, owner: owner.sessionId });
      else owned.push(toEntry(agent, sessionId, tally, record, prices, index < (total?.covers ?? 0), now));
    });
    if (total) owned.push(...differences(agent, sessionId, tally, total, owned));
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

/** Of requests that may be in more than one session; all others are their own session's. */
function findOwners(tallies: ReadonlyMap<string, SessionTally>): Map<string, Claim> {
  const owners = new Map<string, Claim>();
  const isShared = sharedKeys(tallies);
  for (const [sessionId, { head, usage }] of tallies) {
    const startedMs = head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
    for (const record of usage) {
      if (!isShared(record.key)) continue;
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

/** By their numbers, which are fewer than keys: what shares a number is looked at more closely. */
function sharedKeys(tallies: ReadonlyMap<string, SessionTally>): (key: string) => boolean {
  let count = 0;
  for (const { usage } of tallies.values()) count += usage.length;
  const numbers = new Uint32Array(count);
  let at = 0;
  for (const { usage } of tallies.values()) for (const { key } of usage) numbers[at++] = keyNumber(key);
  numbers.sort();
  const shared = new Set<number>();
  for (let i = 1; i < count; i++) if (numbers[i] === numbers[i - 1]) shared.add(numbers[i]!);
  return shared.size === 0 ? () => false : (key) => shared.has(keyNumber(key));
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
  { head }: SessionTally,
  record: UsageRecord,
  prices: PriceTable,
  covered: boolean,
  now: number,
): LedgerEntry {
  const { usage, problem } = checkUsage(record, now);
  const price = priceUsage(usage, prices);
  return {
    agent,
    sessionId,
    key: usage.key,
    at: usage.at,
    model: usage.model,
    cwd: usage.cwd ?? head.cwd,
    branch: usage.branch ?? head.branch,
    subagent: usage.subagent,
    tokens: usage.tokens,
    nanoUsd: price.nanoUsd,
    // The agent's own total includes this request, whatever the table makes of it.
    kind: covered ? "reported" : price.kind,
    requests: 1,
    price: price.row && price,
    modifiers: usage.modifiers,
    webSearches: usage.webSearches,
    note: problem ?? noteOf(usage, price, covered),
  };
}

function noteOf(usage: UsageRecord, price: RequestPrice, covered: boolean): string | undefined {
  if (covered) return "part of the agent's own total";
  switch (price.kind) {
    case "lower-bound":
      return usage.lowerBound ? "the final count was never written" : "the price of a web search is not known";
    case "unpriced":
      return usage.model === undefined ? "no model is named" : "no price is known for this model and mode";
    case "unknown":
      return "the agent wrote no token counts";
    default:
      return undefined;
  }
}

/**
 * What the agent's own total has beyond the requests in the transcript: titles, compactions and other requests that
 * leave no message, or a price that differs from the table's.
 */
function differences(
  agent: string,
  sessionId: string,
  { head }: SessionTally,
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
      at: total.at,
      model,
      cwd: head.cwd,
      branch: head.branch,
      subagent: undefined,
      tokens: NO_TOKENS,
      nanoUsd,
      kind: "reported" as const,
      requests: 0,
      price: undefined,
      modifiers: undefined,
      webSearches: undefined,
      note: "in the agent's own total, but not in the transcript",
    }));
}
