/**
 * One entry per billed request, priced and with its kind. A request that several sessions hold (forks, resumes by copy) is billed
 * to the session that made it; the others keep it as a dropped entry.
 */
import type { SessionTally, ReportedTotal, UsageRecord } from "../../agents/adapter.ts";
import { NO_TOKENS } from "../../core/tokens.ts";
import type { PriceTable } from "../../models/price-table.ts";
import { priceUsage, type RequestPrice } from "../../models/price-request.ts";
import type { CostItem } from "./cost-item.ts";
import { ownersOf } from "./owners.ts";
import { checkTotal, checkUsage } from "./quarantine.ts";

export interface LedgerEntry extends CostItem {
  key: string;
  /** The price it was computed with; undefined if it was not computed. */
  price: RequestPrice | undefined;
  modifiers: readonly string[] | undefined;
  webSearches: number | undefined;
  /** Why the figure is not tokens times price. */
  note: string | undefined;
  /** The agent marks it as made elsewhere. */
  copied: boolean | undefined;
}

export interface DroppedEntry {
  agent: string;
  sessionId: string;
  /** Same as the owner's. */
  key: string;
  at: number | undefined;
  model: string | undefined;
  /** The session that the same request is billed to. */
  owner: string;
}

export interface Ledger {
  entries: LedgerEntry[];
  dropped: DroppedEntry[];
  /** Sessions with replies whose agent wrote no token counts. */
  unknownSessions: string[];
}

export function settle(
  agent: string,
  sessions: ReadonlyMap<string, SessionTally>,
  prices: PriceTable,
  now = Date.now(),
): Ledger {
  const ledger: Ledger = { entries: [], dropped: [], unknownSessions: [] };
  for (const { sessionId, session, entries, dropped } of settleEach(agent, sessions, prices, now)) {
    if (session.head.usageUnknown) ledger.unknownSessions.push(sessionId);
    for (const entry of entries) ledger.entries.push(entry);
    for (const entry of dropped) ledger.dropped.push(entry);
  }
  return ledger;
}

interface SettledSession {
  sessionId: string;
  session: SessionTally;
  entries: LedgerEntry[];
  dropped: DroppedEntry[];
}

/** Session by session, so that not all entries are in memory at once. */
export function* settleEach(
  agent: string,
  sessions: ReadonlyMap<string, SessionTally>,
  prices: PriceTable,
  now = Date.now(),
): Generator<SettledSession> {
  const owners = ownersOf(sessions);
  for (const [sessionId, session] of sessions) {
    const total = checkTotal(session.reportedTotals?.at(-1));
    const entries: LedgerEntry[] = [];
    const dropped: DroppedEntry[] = [];
    let ownsCovered = false;
    session.usage.forEach((record, index) => {
      const { key, at, model } = record;
      const owner = owners.get(key)!;
      if (owner !== sessionId) return void dropped.push({ agent, sessionId, key, at, model, owner });
      const covered = index < (total?.covers ?? 0);
      ownsCovered ||= covered;
      entries.push(toEntry(agent, sessionId, session, record, prices, covered, now));
    });
    // If all requests were made elsewhere, the total was copied with them.
    if (total && (ownsCovered || total.covers === 0))
      for (const entry of differences(agent, sessionId, session, total, entries)) entries.push(entry);
    yield { sessionId, session, entries, dropped };
  }
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
    // The agent's total includes this request, whatever its computed price.
    kind: covered ? "reported" : price.kind,
    requests: 1,
    price: price.row && price,
    modifiers: usage.modifiers,
    webSearches: usage.webSearches,
    note: problem ?? noteOf(usage, price, covered),
    copied: usage.copied,
  };
}

function noteOf(usage: UsageRecord, price: RequestPrice, covered: boolean): string | undefined {
  if (covered) return "included in the agent's total";
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

const OWN_TOTAL = "#total:";

/** Whether an entry is not a request, but the rest of an agent's own total. */
export function isDifference(key: string): boolean {
  return key.includes(OWN_TOTAL);
}

/**
 * The part of the agent's total that no request in the transcript explains: titles, compactions and other requests without a
 * message, or a price that differs from the table's.
 */
function differences(
  agent: string,
  sessionId: string,
  { head, usage }: SessionTally,
  total: ReportedTotal,
  owned: readonly LedgerEntry[],
): LedgerEntry[] {
  const last = usage.at(-1);
  const reported = owned.filter(({ kind }) => kind === "reported");
  return beyond(
    total,
    reported.map(({ model, nanoUsd }) => [model ?? "", nanoUsd]),
  ).map(([model, nanoUsd]) => ({
    agent,
    sessionId,
    key: `${sessionId}${OWN_TOTAL}${model}`,
    at: total.at,
    model,
    cwd: last?.cwd ?? head.cwd,
    branch: last?.branch ?? head.branch,
    subagent: undefined,
    tokens: NO_TOKENS,
    nanoUsd,
    kind: "reported" as const,
    requests: 0,
    price: undefined,
    modifiers: undefined,
    webSearches: undefined,
    note: "in the agent's own total, but not in the transcript",
    copied: undefined,
  }));
}

/** Nano-dollars of the total that no reported request explains, by model. */
function beyond(total: ReportedTotal, reported: Iterable<[model: string, nanoUsd: number]>): [string, number][] {
  const rest = new Map(Object.entries(total.byModel).map(([model, microUsd]) => [model, Math.round(microUsd * 1000)]));
  for (const [model, nanoUsd] of reported) rest.set(model, (rest.get(model) ?? 0) - nanoUsd);
  return [...rest].filter(([, nanoUsd]) => nanoUsd !== 0);
}
