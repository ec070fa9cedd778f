/** What a session is billed for, from its transcript's records and its sub-agents'. */
import { codeOf } from "../../lib/directory.ts";
import { asNumber, asObject, asText, asTokens, type Json } from "../../lib/fields.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import { linesWith } from "../../lib/lines-with.ts";
import { lastPart } from "../../lib/paths.ts";
import type { ReportedTotal, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { costState } from "./head.ts";
import { blocksOf, replyId, timeOf } from "./record.ts";
import { UsageCollector } from "./usage.ts";

/** What every line has that bills something: a reply, the searches of one, a total. */
export const BILLING_NEEDLES = ['_tokens"', 'searchCount"', '"cost-state"', '"type":"cost"'];

/** Usage of the transcript and of its helpers, with the session totals the program wrote (`cost-state`). */
export class Bill {
  readonly usage: UsageCollector;
  #latestMs = 0;
  readonly #documented: UsageRecord[] = [];
  /** Calls of web searches by their id. */
  readonly #searches = new Map<string, { reply: string; count: number }>();
  /** The last total of each counter, by when that was begun. */
  readonly #totals = new Map<number, { byModel: Record<string, number>; at: number; mainCount: number }>();

  constructor(sessionId: string) {
    this.usage = new UsageCollector(sessionId);
  }

  /** Of a reply: a total is as old as the last one before it. */
  #seeTime(at: number | undefined): void {
    if (at !== undefined && at > this.#latestMs) this.#latestMs = at;
  }

  see(record: Json): void {
    if (record["type"] === "assistant") {
      const helper = record["isSidechain"] === true ? (asText(record["agentId"]) ?? "sidechain") : undefined;
      this.#seeTime(this.#seeReply(record, helper));
    } else if (record["type"] === "user") {
      this.#seeSearches(record);
    } else if (record["type"] === "cost") {
      this.#documented.push(documentedCost(record, this.#documented.length));
    } else if (record["type"] === "cost-state") {
      const byModel = costState(record);
      const startMs = asNumber(record["startTime"]) ?? 0;
      if (byModel) this.#totals.set(startMs, { byModel, at: this.#latestMs, mainCount: this.usage.size });
    }
  }

  /** A record of a helper's transcript. */
  #seeHelper(record: Json | undefined, helper: string): void {
    if (record?.["type"] === "assistant") this.#seeReply(record, helper);
    else if (record?.["type"] === "user") this.#seeSearches(record);
  }

  #seeReply(record: Json, helper: string | undefined): number | undefined {
    for (const block of blocksOf(record)) {
      const call = block["name"] === "WebSearch" ? asText(block["id"]) : undefined;
      const reply = replyId(record);
      if (call !== undefined && reply !== undefined) this.#searches.set(call, { reply, count: 0 });
    }
    return this.usage.see(record, helper);
  }

  /** A search is made by a request of its own that is not written down; how many there were, its result tells. */
  #seeSearches(record: Json): void {
    const count = asTokens(asObject(record["toolUseResult"])?.["searchCount"]);
    if (count === 0) return;
    for (const block of blocksOf(record)) {
      const search = this.#searches.get(asText(block["tool_use_id"]) ?? "");
      if (search === undefined) continue;
      search.count = count;
      let all = 0;
      for (const other of this.#searches.values()) if (other.reply === search.reply) all += other.count;
      this.usage.seeSearches(search.reply, all);
    }
  }

  addSubagentFile(path: string, notes: ReadNotes): void {
    try {
      const subagent = agentIdOf(path);
      for (const line of linesWith(path, BILLING_NEEDLES)) this.#seeHelper(parseRecord(line.bytes), subagent);
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
    }
  }

  /** The documented layout carries its bill in records of its own; they replace what the replies say. */
  get documented(): readonly UsageRecord[] {
    return this.#documented;
  }

  /**
   * Of replies in the order they were first met: which of them the totals cover, if they count. A total goes on over
   * a resume; after a crash the program begins another one, which covers nothing that was before.
   */
  covered(replies: readonly BilledReply[], startedMs: number | undefined): Covered | undefined {
    // After --fork-session the running total goes on from the parent's, whose part in it is not told.
    if (this.#totals.size === 0 || (startedMs !== undefined && replies.some(({ copied }) => copied))) return undefined;
    const isCovered = ({ at, isHelpers }: BilledReply, index: number): boolean => {
      for (const [startMs, total] of this.#totals) {
        const isBefore = index < total.mainCount || (isHelpers && (at ?? 0) <= total.at);
        if (isBefore && (at ?? startMs) >= startMs) return true;
      }
      return false;
    };
    const byModel: Record<string, number> = {};
    for (const total of this.#totals.values()) {
      for (const [model, microUsd] of Object.entries(total.byModel)) byModel[model] = (byModel[model] ?? 0) + microUsd;
    }
    const covered: number[] = [];
    const rest: number[] = [];
    for (const [index, reply] of replies.entries()) (isCovered(reply, index) ? covered : rest).push(index);
    if (covered.length === 0 && Object.keys(byModel).length === 0) return undefined;
    const at = Math.max(...Array.from(this.#totals.values(), (total) => total.at));
    return { order: [...covered, ...rest], reportedTotals: [{ at, covers: covered.length, byModel }] };
  }
}

interface BilledReply {
  at: number | undefined;
  /** Only helpers' transcripts have it. */
  isHelpers: boolean;
  copied: boolean;
}

interface Covered {
  /** What is covered comes first. */
  order: number[];
  reportedTotals: ReportedTotal[];
}

/** The bill of a session all of whose records were parsed. */
export function settle(
  bill: Bill,
  startedMs: number | undefined,
): { usage: readonly UsageRecord[]; reportedTotals: ReportedTotal[] } {
  if (bill.documented.length > 0) return { usage: bill.documented, reportedTotals: [] };
  const records = bill.usage.records(startedMs);
  const replies = records.map(({ at, subagent, copied }) => ({
    at,
    isHelpers: subagent !== undefined,
    copied: copied ?? false,
  }));
  const covered = bill.covered(replies, startedMs);
  if (!covered) return { usage: records, reportedTotals: [] };
  return { usage: covered.order.map((index) => records[index]!), reportedTotals: covered.reportedTotals };
}

function documentedCost(record: Json, index: number): UsageRecord {
  const cost = asObject(record["cost"]) ?? record;
  const usd = asNumber(cost["totalUsd"]) ?? asNumber(cost["costUsd"]) ?? asNumber(cost["usd"]);
  const at = timeOf(record);
  const model = asText(record["model"]);
  const thinking = asTokens(cost["thinkingTokens"]);
  return {
    key: asText(record["id"]) ?? `${asText(record["sessionId"]) ?? "cost"}#${index}@${at ?? 0}`,
    ...(at !== undefined ? { at } : {}),
    ...(model !== undefined ? { model } : {}),
    tokens: {
      input: asTokens(cost["inputTokens"]),
      cached: asTokens(cost["cachedTokens"]),
      cacheWrite: asTokens(cost["cacheWriteTokens"]),
      cacheWrite1h: 0,
      output: Math.max(asTokens(cost["outputTokens"]), thinking),
      thinking,
    },
    ...(usd !== undefined && usd >= 0 ? { reportedMicroUsd: usd * 1e6 } : {}),
  };
}

/** The helper whose transcript a file is. */
export function agentIdOf(path: string): string {
  const name = lastPart(path);
  return name.slice(name.startsWith("agent-") ? 6 : 0, name.endsWith(".jsonl") ? -6 : undefined);
}
