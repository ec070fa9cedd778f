/** The billed requests of a session, from its transcript and its sub-agents' transcripts. */
import { codeOf } from "../../lib/fs/directory.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { linesWith } from "../../lib/json/lines-with.ts";
import { lastPart } from "../../lib/fs/paths.ts";
import type { ReportedTotal, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import {
  BILLING_NEEDLES,
  blocksOf,
  costState,
  documentedCost,
  subagentOf,
  isAssistant,
  isSidechain,
  isUser,
  isWebSearch,
  replyId,
  searchesIn,
  type ClaudeRecord,
} from "./format.ts";
import { UsageCollector } from "./usage.ts";

/** Usage of the transcript and of its sub-agents, with the session totals that Claude Code wrote (`cost-state`). */
export class Bill {
  readonly usage: UsageCollector;
  #latestMs = 0;
  readonly #documented: UsageRecord[] = [];
  /** Web search calls by id, and the number of searches by reply. */
  readonly #searches = new Map<string, { reply: string; count: number }>();
  readonly #searchSums = new Map<string, number>();
  /** The last total of each counter, by its start time. */
  readonly #totals = new Map<number, { byModel: Record<string, number>; at: number; mainCount: number }>();

  constructor(sessionId: string) {
    this.usage = new UsageCollector(sessionId);
  }

  /** A total is as old as the last reply before it. */
  #seeTime(at: number | undefined): void {
    if (at !== undefined && at > this.#latestMs) this.#latestMs = at;
  }

  see(record: ClaudeRecord): void {
    if (isAssistant(record)) {
      this.#seeTime(this.#seeReply(record, isSidechain(record) ? (subagentOf(record) ?? "sidechain") : undefined));
    } else if (isUser(record)) this.#seeSearches(record);
    else {
      const cost = documentedCost(record, this.#documented.length);
      if (cost) this.#documented.push(cost);
      const total = costState(record);
      if (total) this.#totals.set(total.startMs, { ...total, at: this.#latestMs, mainCount: this.usage.size });
    }
  }

  /** A record of a sub-agent's transcript. */
  #seeHelper(record: ClaudeRecord, helper: string): void {
    if (isAssistant(record)) this.#seeReply(record, helper);
    else if (isUser(record)) this.#seeSearches(record);
  }

  #seeReply(record: ClaudeRecord, helper: string | undefined): number | undefined {
    const reply = replyId(record);
    for (const block of blocksOf(record)) {
      if (block.kind !== "call" || !isWebSearch(block.tool)) continue;
      if (block.id === undefined || reply === undefined || this.#searches.has(block.id)) continue;
      this.#searches.set(block.id, { reply, count: 0 });
    }
    return this.usage.see(record, helper);
  }

  /** Each search is a separate request that is not recorded; its result gives the number of searches. */
  #seeSearches(record: ClaudeRecord): void {
    const count = searchesIn(record);
    if (count === 0) return;
    for (const block of blocksOf(record)) {
      const search = block.kind === "result" ? this.#searches.get(block.callId) : undefined;
      if (search === undefined) continue;
      const sum = (this.#searchSums.get(search.reply) ?? 0) - search.count + count;
      search.count = count;
      this.#searchSums.set(search.reply, sum);
      this.usage.seeSearches(search.reply, sum);
    }
  }

  addSubagentFile(path: string, notes: ReadNotes): void {
    try {
      const subagent = agentIdOf(path);
      for (const line of linesWith(path, BILLING_NEEDLES)) this.#seeHelper(parseRecord(line.bytes) ?? {}, subagent);
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
    }
  }

  /** The documented layout has separate billing records, which replace the usage of the replies. */
  get documented(): readonly UsageRecord[] {
    return this.#documented;
  }

  /**
   * Replies in order of first appearance: decides which of them a total covers. A total continues over a resume; after a crash a
   * new one begins, which covers nothing earlier.
   */
  covered(replies: readonly BilledReply[], startedMs: number | undefined): Covered | undefined {
    // After --fork-session the running total includes the parent's, by an unknown amount.
    if (this.#totals.size === 0 || (startedMs !== undefined && replies.some(({ copied }) => copied))) return undefined;
    const isCovered = ({ at, isHelpers }: BilledReply, index: number): boolean => {
      for (const [startMs, total] of this.#totals) {
        const isBefore = index < total.mainCount || (isHelpers && (at ?? 0) <= total.at);
        if (isBefore && (at ?? startMs) >= startMs) return true;
      }
      return false;
    };
    const byModel: Record<string, number> = Object.create(null);
    for (const total of this.#totals.values()) {
      for (const [model, microUsd] of Object.entries(total.byModel)) byModel[model] = (byModel[model] ?? 0) + microUsd;
    }
    const covered: number[] = [];
    const rest: number[] = [];
    for (const [index, reply] of replies.entries()) (isCovered(reply, index) ? covered : rest).push(index);
    if (covered.length === 0 && Object.keys(byModel).length === 0) return undefined;
    let at = -Infinity;
    for (const total of this.#totals.values()) at = Math.max(at, total.at);
    return { order: [...covered, ...rest], reportedTotals: [{ at, covers: covered.length, byModel }] };
  }
}

interface BilledReply {
  at: number | undefined;
  /** Only sub-agents' transcripts have it. */
  isHelpers: boolean;
  copied: boolean;
}

interface Covered {
  /** Covered requests come first. */
  order: number[];
  reportedTotals: ReportedTotal[];
}

/** The bill of a session whose records are all parsed. */
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

/** The sub-agent whose transcript a file is. */
export function agentIdOf(path: string): string {
  const name = lastPart(path);
  return name.slice(name.startsWith("agent-") ? 6 : 0, name.endsWith(".jsonl") ? -6 : undefined);
}
