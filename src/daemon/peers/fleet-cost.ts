/**
 * Merges the ledgers of several machines. Synchronised homes copy sessions, so a request may appear several times: it counts
 * once, in its most complete copy.
 */
import type { CostKind, CostSummary } from "../../core/cost.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ExplainedRequest, FleetMachine, FleetRequest, MachineLedger } from "../../protocol/fleet.ts";
import { weaker, type CostItem } from "../../history/cost/cost-item.ts";
import { CostGroupSum, Grouping, isDateGroup, zoneFrom, type CostGroup } from "../../history/cost/grouping.ts";
import { isDifference } from "../../history/cost/ledger.ts";

export interface FleetCostOptions {
  groupBy: readonly CostGroup[];
  timeZone?: string;
}

type Figures = Pick<CostSummary, "totalUsd" | "inputTokens" | "outputTokens" | "requestCount" | "sessionCount">;

export interface FleetCostReport extends CostSummary {
  partial: boolean;
  machines: (FleetMachine & Figures & { duplicates: number; prices?: CostSummary["prices"] })[];
}

export interface MachineAnswer extends FleetMachine {
  answer?: MachineLedger;
}

const UNTAGGED = "(untagged)";

/** The first machine is this one. */
export function fleetCost(
  told: readonly MachineAnswer[],
  { groupBy, timeZone }: FleetCostOptions,
  claims = claimsOf(told),
): FleetCostReport {
  const zone = zoneFrom(timeZone);
  const grouping = new Grouping(groupBy, zone);
  const total = new CostGroupSum();
  const kinds = emptyKinds();
  const tags = tagsIn(told);
  const counted = itemsOf(told, claims);
  const machines = told.map(({ machine, error, answer }, index) => {
    const own = new CostGroupSum();
    for (const item of counted[index]!.items) {
      const tagged = tags.get(`${item.agent}:${item.sessionId}`) ?? [];
      grouping.add(total, item, tagged);
      own.count(item);
      kinds[item.kind].requests += item.requests;
      kinds[item.kind].usd += item.nanoUsd / 1e9;
    }
    const { kind: _, ...figures } = own.figures();
    return {
      machine,
      ...optional("error", error),
      ...figures,
      duplicates: counted[index]!.duplicates,
      ...optional("prices", answer?.summary.prices),
    };
  });
  const { kind: _, ...figures } = total.figures();
  const sum = (field: "runCount" | "skipped"): number =>
    told.reduce((all, { answer }) => all + (answer?.summary[field] ?? 0), 0);
  return {
    ...figures,
    runCount: sum("runCount"),
    kinds,
    ...(groupBy.length > 0 ? { groupBy: [...groupBy], breakdowns: total.breakdowns() ?? {} } : {}),
    ...(groupBy.some(isDateGroup) ? { timeZone: zone.name } : {}),
    skipped: sum("skipped"),
    // This machine's, unless it has no matching data.
    prices: told.find(({ answer }) => answer !== undefined)?.answer?.summary.prices ?? { version: "", digest: "" },
    partial: told.some(({ error }) => error !== undefined),
    machines,
  };
}

export interface Claim {
  request: ExplainedRequest;
  machine: number;
}

/** By request, the machine that counts it. */
export function claimsOf(told: readonly MachineAnswer[]): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  for (const [machine, { answer }] of told.entries()) {
    for (const request of answer?.requests ?? []) {
      const key = keyOf(request);
      const known = claims.get(key);
      if (known === undefined || knowsMore(request, known.request)) claims.set(key, { request, machine });
    }
  }
  return claims;
}

export function keyOf({ agent, key }: { agent: string; key: string }): string {
  return `${agent}\0${key}`;
}

/** Each machine's own requests, and the number counted elsewhere. */
function itemsOf(
  told: readonly MachineAnswer[],
  claims: ReadonlyMap<string, Claim>,
): { items: CostItem[]; duplicates: number }[] {
  const counted = told.map(({ answer }) => ({ items: [] as CostItem[], duplicates: answer?.requests.length ?? 0 }));
  const billed = new Set<string>();
  for (const { request, machine } of claims.values()) {
    counted[machine]!.items.push(itemOf(request));
    counted[machine]!.duplicates -= 1;
    billed.add(request.session);
  }
  for (const [machine, { answer }] of told.entries()) {
    const own = new Set(answer?.requests.map(({ session }) => session));
    for (const [session, figures] of Object.entries(answer?.summary.breakdowns ?? {})) {
      if (own.has(session) || billed.has(session)) continue;
      billed.add(session);
      const item = unbilledItem(session, figures);
      if (item !== undefined) counted[machine]!.items.push(item);
    }
  }
  return counted;
}

/**
 * A copy made during a request lacks its end; of an agent's totals the later counts. Between sessions, as on one machine: the
 * original is unmarked and earliest.
 */
function knowsMore(a: FleetRequest, b: FleetRequest): boolean {
  if (a.kind !== b.kind) return weaker(a.kind, b.kind) === b.kind;
  const [at, otherAt] = [Date.parse(a.timestamp ?? ""), Date.parse(b.timestamp ?? "")];
  if (a.session === b.session) return at > otherAt || (at === otherAt && a.outputTokens > b.outputTokens);
  const [isCopy, otherIsCopy] = [a.copied === true, b.copied === true];
  if (isCopy !== otherIsCopy) return otherIsCopy;
  return at === otherAt || Number.isNaN(at + otherAt) ? a.session < b.session : at < otherAt;
}

function itemOf(request: FleetRequest): CostItem {
  const { agent, session, key, timestamp, model, cwd, branch, usd, kind } = request;
  return {
    agent,
    sessionId: session.slice(session.indexOf(":") + 1),
    at: timestamp === undefined ? undefined : Date.parse(timestamp),
    model,
    cwd,
    branch,
    subagent: undefined,
    tokens: tokensOf(request),
    nanoUsd: Math.round(usd * 1e9),
    kind,
    requests: isDifference(key) ? 0 : 1,
  };
}

/** A session without token counts, or known only from a run. */
function unbilledItem(
  session: string,
  figures: NonNullable<MachineLedger["summary"]["breakdowns"]>[string],
): CostItem | undefined {
  const parts = splitUnifiedId(session);
  if (!parts) return undefined;
  const nothing = { at: undefined, model: undefined, cwd: undefined, branch: undefined, subagent: undefined };
  return {
    agent: parts.agent,
    sessionId: parts.nativeSessionId,
    ...nothing,
    tokens: tokensOf(figures),
    nanoUsd: Math.round(figures.totalUsd * 1e9),
    kind: figures.kind,
    requests: figures.requestCount,
  };
}

function tokensOf(
  figures: Pick<
    FleetRequest,
    "inputTokens" | "outputTokens" | "thinkingTokens" | "cachedTokens" | "cacheWriteTokens" | "cacheWrite1hTokens"
  >,
): CostItem["tokens"] {
  return {
    input: figures.inputTokens,
    output: figures.outputTokens,
    thinking: figures.thinkingTokens,
    cached: figures.cachedTokens,
    cacheWrite: figures.cacheWriteTokens,
    cacheWrite1h: figures.cacheWrite1hTokens,
  };
}

/** A tag on any machine's run applies to the session everywhere. */
function tagsIn(told: readonly MachineAnswer[]): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const { answer } of told) {
    for (const [session, { breakdowns = {} }] of Object.entries(answer?.summary.breakdowns ?? {})) {
      const more = Object.keys(breakdowns).filter((tag) => tag !== UNTAGGED);
      if (more.length > 0) tags.set(session, [...new Set([...(tags.get(session) ?? []), ...more])]);
    }
  }
  return tags;
}

function emptyKinds(): Record<CostKind, { requests: number; usd: number }> {
  const none = (): { requests: number; usd: number } => ({ requests: 0, usd: 0 });
  return { reported: none(), computed: none(), "lower-bound": none(), unpriced: none(), unknown: none() };
}
