/**
 * Decides which records bill a request: every token_usage_record, and a token_count if its total has changed and no
 * token_usage_record came since the previous one. Some versions write counts twice, or both kinds.
 */
import { isItem, KIND } from "./format.ts";
import { countIn, recordedUsage, usageOfMessage, type BilledRequest } from "./format-items.ts";
import type { RolloutRecord } from "./rollout-record.ts";

export class UsageCounter {
  /** A file that continues another begins by repeating its totals; its own requests all have records. */
  readonly #recordsOnly: boolean;
  #lastTotal = "";
  #recordSinceTotal = false;
  #replySeen = false;

  constructor(recordsOnly: boolean) {
    this.#recordsOnly = recordsOnly;
  }

  /** The request that a record bills. `descends`: the thread started with another one's running total. */
  take(record: RolloutRecord, descends: boolean): BilledRequest | undefined {
    if (record.type === KIND.usage) {
      this.#recordSinceTotal = true;
      return recordedUsage(record.payload);
    }
    if (record.type === KIND.tokenCount) return this.#takeCount(record, descends);
    if (isItem(record.type)) {
      this.#replySeen ||= record.type !== KIND.message || record.role === "assistant";
      if (record.bare && record.type === KIND.message) return usageOfMessage(record.payload);
    }
    return undefined;
  }

  #takeCount({ payload }: RolloutRecord, descends: boolean): BilledRequest | undefined {
    const count = countIn(payload);
    if (count === undefined) return undefined;
    // Without a total, repetitions cannot be detected; no known version repeats such counts.
    const repeated = (count.total === this.#lastTotal && count.total !== "") || this.#recordSinceTotal;
    this.#lastTotal = count.total;
    this.#recordSinceTotal = false;
    // A fork that inherits only the total may repeat its parent's last request before its own first one.
    return repeated || this.#recordsOnly || (descends && !this.#replySeen) ? undefined : count.request;
  }
}
