/**
 * The bill of a session. Single requests take precedence; totals of a shutdown fill stretches without them; after a
 * crash, the replies' output is a lower bound.
 */
import { optional } from "../../lib/values/optional.ts";
import type { ReportedTotal, UsageRecord } from "../adapter.ts";
import type { CopilotEvent, RequestUsage, Saying } from "./format.ts";
import type { StoredRequest } from "./format-store.ts";
import { isEmpty, microUsd, type ModelTotals, ownTotals, type RequestTokens, tokenCounts } from "./tokens.ts";

interface Request {
  record: UsageRecord;
  fingerprint: string;
  /** Its record names another session as the one that paid. */
  foreign: boolean;
  place: number;
}

/** The stretch between two shutdowns. */
interface Leg {
  shutdownId: string | undefined;
  from: number;
  to: number;
  /** The index of its last event. */
  place: number;
  totals: ModelTotals;
  replies: number;
  requests: number;
  outputs: UsageRecord[];
}

export class Ledger {
  readonly #requests: Request[] = [];
  readonly #keys = new Set<string>();
  readonly #legs: Leg[] = [];
  readonly #tokensOfCall = new Map<string, RequestTokens>();
  #leg = newLeg(0);
  #place = 0;
  #forkPlace = -1;
  #credits: { at: number | undefined; byModel: Record<string, number> } | undefined;

  see(event: CopilotEvent, sessionId: string, model: string | undefined): void {
    this.#place++;
    const { said, at } = event;
    if (said?.kind === "usage") this.#seeRequest(event, said, sessionId);
    else if (said?.kind === "compaction") this.#seeCompaction(event, said);
    else if (said?.kind === "reply") this.#seeReply(event, said, model, sessionId);
    else if (said?.kind === "totals") {
      if (said.totals !== undefined) this.#seeShutdown(event, said.totals);
      this.#credits = creditsOf(said.credits, at) ?? this.#credits;
    }
  }

  /** All events so far were copied from the parent of the fork. */
  seeFork(): void {
    this.#forkPlace = this.#place;
  }

  /** Tokens of the request behind a reply. Its record precedes the reply. */
  tokensOf(apiCallId: string | undefined): RequestTokens | undefined {
    return apiCallId === undefined ? undefined : this.#tokensOfCall.get(apiCallId);
  }

  #seeRequest(event: CopilotEvent, said: Saying<"usage">, sessionId: string): void {
    const { usage, apiCallId, sourceSession } = said;
    const key = said.usageId ?? apiCallId ?? event.id;
    if (key === undefined || this.#keys.has(key)) return;
    this.#keys.add(key);
    const subagent = event.subagent ?? said.parentCall;
    const foreign = subagent === undefined && sourceSession !== undefined && sourceSession !== sessionId;
    this.#add(key, event.at, usage, subagent, foreign);
    this.#leg.requests++;
    if (apiCallId !== undefined) this.#tokensOfCall.set(apiCallId, usage.tokens);
  }

  /** A compaction's request has no record, and no shutdown counts it. */
  #seeCompaction({ id, at, subagent }: CopilotEvent, { usage, attempt }: Saying<"compaction">): void {
    const key = id ?? attempt;
    if (usage === undefined || key === undefined || isEmpty(usage.tokens)) return;
    this.#add(`compaction:${key}`, at, usage, subagent, false);
  }

  #add(
    key: string,
    at: number | undefined,
    { model, tokens, nanoAiu, durationMs }: RequestUsage,
    subagent: string | undefined,
    foreign: boolean,
  ): void {
    const record: UsageRecord = {
      key,
      tokens: tokenCounts(tokens),
      ...optional("at", at),
      ...optional("model", model),
      ...optional("subagent", subagent),
      ...optional("reportedMicroUsd", microUsd(nanoAiu, at)),
    };
    this.#requests.push({ record, fingerprint: fingerprintOf(model, tokens, durationMs), foreign, place: this.#place });
  }

  #seeReply(
    { id, at, subagent }: CopilotEvent,
    said: Saying<"reply">,
    model: string | undefined,
    sessionId: string,
  ): void {
    this.#leg.replies++;
    this.#leg.place = this.#place;
    if (said.output === 0) return;
    // A reply without an id is identified by its position.
    const key = said.messageId ?? id ?? `${sessionId}:reply ${this.#place}`;
    const tokens = { input: 0, output: said.output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    this.#leg.outputs.push({
      key,
      tokens: tokenCounts(tokens),
      lowerBound: true,
      ...optional("at", at),
      ...optional("model", said.model ?? model),
      ...optional("subagent", subagent),
    });
  }

  #seeShutdown({ id, at }: CopilotEvent, totals: ModelTotals): void {
    const leg = this.#leg;
    leg.shutdownId = id;
    leg.place = this.#place;
    leg.to = at ?? Number.POSITIVE_INFINITY;
    leg.totals = totals;
    this.#legs.push(leg);
    this.#leg = newLeg(leg.to);
  }

  /** All requests by time. `stored` are the store's rows of this session. */
  settle(
    sessionId: string,
    stored: readonly StoredRequest[],
  ): { usage: UsageRecord[]; reportedTotals: ReportedTotal[] } {
    const told = this.#requests.map(({ record, foreign, place }) =>
      foreign || place <= this.#forkPlace ? { ...record, copied: true } : record,
    );
    const extra = this.#addStored(sessionId, stored, told);
    const usage = [...told, ...extra, ...this.#fromLegs(stored)];
    usage.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    return { usage, reportedTotals: this.#reportedTotals(usage) };
  }

  /** Rows of the store without a matching event, mostly rewound turns. Adds credits from matching rows to `told`. */
  #addStored(sessionId: string, stored: readonly StoredRequest[], told: readonly UsageRecord[]): UsageRecord[] {
    const open = new Map<string, UsageRecord[]>();
    for (const [index, { fingerprint }] of this.#requests.entries()) {
      const record = told[index]!;
      if (record.copied) continue;
      const same = open.get(fingerprint);
      if (same) same.push(record);
      else open.set(fingerprint, [record]);
    }
    return stored.flatMap((row) => {
      const reported = microUsd(row.nanoAiu, row.at);
      const twin = open.get(fingerprintOf(row.model, row.tokens, row.durationMs))?.shift();
      if (twin) {
        if (reported !== undefined) twin.reportedMicroUsd ??= reported;
        return [];
      }
      return {
        key: `${sessionId}:${row.rowId}`,
        tokens: tokenCounts(row.tokens),
        ...optional("at", row.at),
        ...optional("model", row.model),
        ...optional("subagent", row.agentId),
        ...optional("reportedMicroUsd", reported),
      };
    });
  }

  #fromLegs(stored: readonly StoredRequest[]): UsageRecord[] {
    const records: UsageRecord[] = [];
    let previous: ModelTotals | undefined;
    let repliesBefore = 0;
    for (const leg of [...this.#legs, this.#leg]) {
      const inStore = stored.some(({ at }) => at !== undefined && at > leg.from && at <= leg.to);
      const isTold = leg.requests > 0 || inStore;
      const copied = leg.place <= this.#forkPlace;
      const own = ownTotals(leg.totals, previous, leg.replies, repliesBefore + leg.replies);
      const legRecords = own.size > 0 ? totalRecords(leg, own) : leg.outputs;
      if (!isTold) for (const record of legRecords) records.push(copied ? { ...record, copied } : record);
      if (leg.shutdownId !== undefined) previous = leg.totals;
      repliesBefore += leg.replies;
    }
    return records;
  }

  /** Credits known only for the whole session. In a fork they include the parent's unknown part. */
  #reportedTotals(usage: readonly UsageRecord[]): ReportedTotal[] {
    const credits = this.#credits;
    const isTold = usage.some((record) => record.reportedMicroUsd !== undefined || record.copied);
    if (credits === undefined || isTold) return [];
    const covers = usage.filter((record) => (record.at ?? 0) <= (credits.at ?? Number.POSITIVE_INFINITY)).length;
    return [{ ...optional("at", credits.at), covers, byModel: credits.byModel }];
  }
}

function newLeg(from: number): Leg {
  const to = Number.POSITIVE_INFINITY;
  return { shutdownId: undefined, from, to, place: 0, totals: new Map(), replies: 0, requests: 0, outputs: [] };
}

function totalRecords(leg: Leg, totals: ModelTotals): UsageRecord[] {
  return [...totals].map(([model, { tokens, nanoAiu }]) => {
    const at = Number.isFinite(leg.to) ? leg.to : undefined;
    return {
      key: `${leg.shutdownId}:${model}`,
      model,
      tokens: tokenCounts(tokens),
      ...optional("at", at),
      ...optional("reportedMicroUsd", microUsd(nanoAiu, at)),
    };
  });
}

/** Matches by all other fields, because the store lacks the request's id. */
function fingerprintOf(model: string | undefined, tokens: RequestTokens, durationMs: number | undefined): string {
  return [model, tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite, durationMs].join("|");
}

function creditsOf(
  credits: Saying<"totals">["credits"],
  at: number | undefined,
): { at: number | undefined; byModel: Record<string, number> } | undefined {
  const byModel: Record<string, number> = Object.create(null);
  for (const { model, nanoAiu } of credits) {
    const usd = microUsd(nanoAiu, at);
    if (usd !== undefined) byModel[model] = usd;
  }
  return Object.keys(byModel).length > 0 ? { at, byModel } : undefined;
}
