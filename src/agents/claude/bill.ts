/** What a session is billed for, from its transcript's records and its sub-agents'. */
import { basename } from "node:path";
import { codeOf } from "../../lib/directory.ts";
import { asNumber, asObject, asText, asTokens, type Json } from "../../lib/fields.ts";
import { parseRecord, readLines } from "../../lib/jsonl.ts";
import type { ReportedTotal, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { costState } from "./head.ts";
import { timeOf } from "./record.ts";
import { UsageCollector } from "./usage.ts";

/** Usage of the transcript and of its helpers, with the session totals the program wrote (`cost-state`). */
export class Bill {
  readonly usage = new UsageCollector();
  #latestMs = 0;
  readonly #documented: UsageRecord[] = [];
  #total: { byModel: Record<string, number>; at: number; mainCount: number } | undefined;

  /** Every record of the transcript has a time, whether it is read further or not. */
  seeTime(at: number | undefined): void {
    if (at !== undefined && at > this.#latestMs) this.#latestMs = at;
  }

  see(record: Json): void {
    this.seeTime(timeOf(record));
    if (record["type"] === "assistant") {
      this.usage.see(record, record["isSidechain"] === true ? (asText(record["agentId"]) ?? "sidechain") : undefined);
    } else if (record["type"] === "cost") {
      this.#documented.push(documentedCost(record, this.#documented.length));
    } else if (record["type"] === "cost-state") {
      const byModel = costState(record);
      if (byModel) this.#total = { byModel, at: this.#latestMs, mainCount: this.usage.size };
    }
  }

  addSubagentFile(path: string, notes: ReadNotes): void {
    try {
      const subagent = agentIdOf(path);
      for (const line of readLines(path)) {
        const record = parseRecord(line.bytes);
        if (record?.["type"] === "assistant") this.usage.see(record, subagent);
      }
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
    }
  }

  settle(startedMs: number | undefined): { usage: UsageRecord[]; reportedTotals: ReportedTotal[] } {
    // The documented layout carries its bill in records of its own; they replace what the replies say.
    if (this.#documented.length > 0) return { usage: this.#documented, reportedTotals: [] };
    const records = this.usage.records(startedMs);
    const total = this.#total;
    // After --fork-session the running total goes on from the parent's, whose part in it is not told.
    const inheritsTotal = records.some((record) => record.copied) && startedMs !== undefined;
    if (total === undefined || inheritsTotal) return { usage: records, reportedTotals: [] };
    const covered = records.filter(
      (record, index) => index < total.mainCount || (record.subagent !== undefined && (record.at ?? 0) <= total.at),
    );
    const coveredSet = new Set(covered);
    return {
      usage: [...covered, ...records.filter((record) => !coveredSet.has(record))],
      reportedTotals: [{ at: total.at, covers: covered.length, byModel: total.byModel }],
    };
  }
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
  return basename(path, ".jsonl").replace(/^agent-/, "");
}
