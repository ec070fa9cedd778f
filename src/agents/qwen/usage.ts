/**
 * The bill of a chat. Qwen Code notes every answered request, also those of sub-agents, titles and summaries. A reply carries its
 * counts too; they are billed if the note is missing.
 */
import { NO_TOKENS } from "../../core/tokens.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import { billOf, idOf, kindOf, modelOf, originOf, subagentOf, timeOf } from "./format.ts";

export class Bill {
  readonly #noted = new Map<string, UsageRecord>();
  readonly #replies = new Map<string, UsageRecord>();

  /** `subagent`: the owner of the transcript that the record is in. */
  see(record: Json, subagent?: string): void {
    const kind = kindOf(record);
    const key = idOf(record);
    if ((kind !== "billed" && kind !== "reply") || key === undefined) return;
    // An interrupted reply has no counts.
    const { tokens, model } = billOf(record) ?? { tokens: undefined, model: modelOf(record) };
    const usage: UsageRecord = {
      key,
      tokens: tokens ?? { ...NO_TOKENS },
      ...(tokens === undefined ? { lowerBound: true } : {}),
      ...optional("at", timeOf(record)),
      ...optional("model", model),
      ...optional("subagent", subagent ?? subagentOf(record)),
      ...(originOf(record) === undefined ? {} : { copied: true }),
    };
    (kind === "billed" ? this.#noted : this.#replies).set(key, usage);
  }

  records(): UsageRecord[] {
    const notes = new Map<string, number>();
    for (const record of this.#noted.values()) {
      const counts = countsOf(record);
      notes.set(counts, (notes.get(counts) ?? 0) + 1);
    }
    const records = [...this.#noted.values()];
    for (const reply of this.#replies.values()) {
      const counts = countsOf(reply);
      const left = notes.get(counts) ?? 0;
      if (left > 0) notes.set(counts, left - 1);
      else records.push(reply);
    }
    return records;
  }
}

function countsOf({ tokens, copied }: UsageRecord): string {
  return `${copied === true} ${Object.values(tokens).join(" ")}`;
}
