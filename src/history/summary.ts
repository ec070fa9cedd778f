/** Summaries: from a head alone, or exact with counts and cost. */
import type { SessionHead, SessionSource, SessionTally } from "../agents/adapter.ts";
import type { CostRecord } from "../core/cost.ts";
import type { SessionSummary } from "../core/session.ts";
import { tokensIn } from "../core/tokens.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { isOnlyKept } from "../lib/fs/kept-files.ts";
import { oneLine } from "../lib/text/text.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { Account } from "./cost/account.ts";
import { costOf, sumOf, UNKNOWN_COST, type CostSum } from "./cost/cost-item.ts";
import type { Spending } from "./cost/spending.ts";
import type { RelatedSessions } from "./related-sessions.ts";
import type { RunIndex } from "./run-index.ts";
import type { SessionLabel } from "./session-labels.ts";

/** Context beyond an agent's own files. */
export interface SummaryContext {
  prices: PriceTable;
  runs: RunIndex;
}

/** A summary without counts. */
export function summaryOf(
  agent: string,
  source: SessionSource,
  head: SessionHead,
  { runs }: SummaryContext,
): SessionSummary {
  const summary = exactSummaryOf(agent, source, head, runs);
  summary.partial = true;
  return summary;
}

/** Field by field, for speed with thousands. Unknown values are left out. */
function exactSummaryOf(agent: string, source: SessionSource, head: SessionHead, runs: RunIndex): SessionSummary {
  const { sessionId } = source;
  const label = runs.labelOf(agent, sessionId);
  const updatedMs = head.updatedMs ?? source.updatedMs;
  const summary: SessionSummary = {
    agent,
    sessionId,
    unifiedId: joinUnifiedId(agent, sessionId),
    title: shownTitle(head.title, label),
    createdAt: new Date(head.createdMs ?? updatedMs),
    updatedAt: new Date(updatedMs),
    turnCount: 0,
    messageCount: 0,
    tags: [...runs.tagsOf(agent, sessionId)],
  };
  if (label?.starred === true) summary.starred = true;
  if (head.model !== undefined) summary.model = head.model;
  if (head.cwd !== undefined) summary.cwd = head.cwd;
  if (head.forkedFrom !== undefined) summary.forkedFrom = head.forkedFrom;
  if (head.parentId !== undefined) summary.parentId = head.parentId;
  if (head.branch !== undefined) summary.branch = head.branch;
  if (head.agentVersion !== undefined) summary.agentVersion = head.agentVersion;
  if (head.archived) summary.archived = true;
  if (isOnlyKept(source.path)) summary.inVault = true;
  return summary;
}

export function shownTitle(title: string, label: SessionLabel | undefined): string {
  return label?.name ?? oneLine(title);
}

export function exactSummary(
  agent: string,
  source: SessionSource,
  { head, turnCount, messageCount }: Pick<SessionTally, "head" | "turnCount" | "messageCount">,
  cost: CostRecord | undefined,
  { runs }: SummaryContext,
): SessionSummary {
  const summary = exactSummaryOf(agent, source, head, runs);
  summary.turnCount = turnCount;
  summary.messageCount = messageCount;
  if (cost) summary.cost = cost;
  return summary;
}

/** The cost of each session, with its sub-agents' sessions. */
export function sessionCosts(
  accounts: { get(sessionId: string): Account | undefined },
  related: Pick<RelatedSessions, "descendants">,
  runs: RunIndex,
  agent: string,
): (sessionId: string) => CostRecord | undefined {
  const spent = (sessionId: string): readonly Spending[] => accounts.get(sessionId)?.totals ?? [];
  return (sessionId) => {
    const cost = costOf(spent(sessionId), Array.from(related.descendants(sessionId), spent).flat());
    const isUnknown = accounts.get(sessionId)?.usageUnknown ?? false;
    if (cost) return isUnknown ? { ...cost, kind: "unknown" } : cost;
    // The agent's files have no usage for this session, so use what amux recorded during the run.
    const seen = runs.of(agent, sessionId).flatMap((run) => run.cost ?? []);
    if (seen.length > 0) return sumOf(seen.map(itemOf));
    return isUnknown ? UNKNOWN_COST : undefined;
  };
}

function itemOf(record: CostRecord): Parameters<CostSum["add"]>[0] {
  const nanoUsd = Math.round(record.totalUsd * 1e9);
  return { nanoUsd, requests: 1, kind: record.kind ?? "reported", tokens: tokensIn(record) };
}
