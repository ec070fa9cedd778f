/**
 * Billed requests of a transcript. A reply is spread over several records that repeat its usage, some with the small figures from
 * the start of the stream; the maximum of each field is billed.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { UsageRecord } from "../adapter.ts";
import { replyId, usageOf, type ClaudeRecord, type RequestUsage } from "./format.ts";

export class UsageCollector {
  readonly #sessionId: string;
  readonly #byReply = new Map<string, Collected>();
  #someHaveRequestId = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get size(): number {
    return this.#byReply.size;
  }

  /** Takes assistant records only; returns the time of the billed request. `subagent` names the sub-agent that made it. */
  see(record: ClaudeRecord, subagent?: string): number | undefined {
    const usage = usageOf(record);
    if (usage === undefined) return undefined;
    const key = replyId(record) ?? `${this.#sessionId}#${this.#byReply.size}`;
    const found = this.#byReply.get(key);
    if (usage.hasRequestId) this.#someHaveRequestId = true;
    if (found) add(found, usage, subagent);
    else this.#byReply.set(key, { key, usage, subagent });
    return usage.at;
  }

  /** The larger of the counts in the reply and in its search results. */
  seeSearches(key: string, searches: number): void {
    const found = this.#byReply.get(key);
    if (found) found.usage.webSearches = Math.max(found.usage.webSearches, searches);
  }

  /** `startedMs`: when the file was begun; records with an earlier date were copied. */
  records(startedMs: number | undefined): UsageRecord[] {
    return [...this.#byReply.values()].map((collected) => this.#toRecord(collected, startedMs));
  }

  #toRecord({ key, usage: c, subagent }: Collected, startedMs: number | undefined): UsageRecord {
    const record: UsageRecord = { key, model: c.model, tokens: c.tokens };
    const predatesFile = startedMs !== undefined && c.at !== undefined && c.at < startedMs;
    // Resuming with 1.0.85 and older rewrote history without request ids; only new requests have one.
    const lacksRequestId = this.#someHaveRequestId && !c.hasRequestId && subagent === undefined;
    if (c.at !== undefined) record.at = c.at;
    if (c.reportedMicroUsd !== undefined) record.reportedMicroUsd = c.reportedMicroUsd;
    if (!c.finished) record.lowerBound = true;
    if (c.branched || predatesFile || lacksRequestId) record.copied = true;
    if (subagent !== undefined) record.subagent = subagent;
    if (c.cwd !== undefined) record.cwd = c.cwd;
    if (c.branch !== undefined) record.branch = c.branch;
    if (c.modifiers.length > 0) record.modifiers = c.modifiers;
    if (c.webSearches > 0) record.webSearches = c.webSearches;
    return record;
  }
}

/** The known data of a reply. */
interface Collected {
  key: string;
  usage: RequestUsage;
  subagent: string | undefined;
}

/** Adds a further record of a reply. */
function add(found: Collected, more: RequestUsage, subagent: string | undefined): void {
  const { usage } = found;
  keepLargest(usage.tokens, more.tokens);
  usage.finished ||= more.finished;
  usage.hasRequestId ||= more.hasRequestId;
  usage.webSearches = Math.max(usage.webSearches, more.webSearches);
  if (usage.modifiers.length === 0) usage.modifiers = more.modifiers;
  if (more.reportedMicroUsd !== undefined)
    usage.reportedMicroUsd = Math.max(usage.reportedMicroUsd ?? 0, more.reportedMicroUsd);
  // A side question replays the main line's reply, which was billed there.
  if (subagent === undefined) found.subagent = undefined;
}

function keepLargest(into: TokenCounts, other: TokenCounts): void {
  into.input = Math.max(into.input, other.input);
  into.cached = Math.max(into.cached, other.cached);
  into.cacheWrite = Math.max(into.cacheWrite, other.cacheWrite);
  into.cacheWrite1h = Math.max(into.cacheWrite1h, other.cacheWrite1h);
  into.output = Math.max(into.output, other.output);
  into.thinking = Math.max(into.thinking, other.thinking);
}
