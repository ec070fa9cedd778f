/**
 * One record of a rollout of any generation. Codex writes fields in a fixed order, so the type comes from the first bytes and
 * most lines are never parsed.
 */
import { jsonText } from "../../lib/json/json.ts";
import { asTime, type Json } from "../../lib/json/fields.ts";
import { parseRecord, type Line } from "../../lib/json/jsonl.ts";
import { fromFields, fromPrefix, isSummaryAnswer, looksWhole, payloadOf, roleOf, type Found } from "./format.ts";

export class RolloutRecord {
  /** `turn_context`, `response_item/message`, `event_msg/item_completed/UserMessage`. */
  readonly type: string;
  readonly ordinal: number | undefined;
  /** For an item event: its thread. A review's items are also written to its parent's file. */
  readonly itemThread: string | undefined;
  /** Without an envelope: the record is the item. */
  readonly bare: boolean;
  readonly timestamp: unknown;
  #bytes: Buffer | undefined;
  #object: Json | undefined;
  #payload: Json | undefined;

  private constructor(found: Found) {
    this.type = found.type;
    this.ordinal = found.ordinal;
    this.itemThread = found.itemThread;
    this.bare = found.bare ?? false;
    this.timestamp = found.timestamp;
    this.#bytes = found.bytes;
    this.#object = found.object;
  }

  /** Undefined if the line is not a record. Valid until the next line is read, unless it was parsed before. */
  static fromLine({ bytes, complete }: Line): RolloutRecord | undefined {
    const found = complete && looksWhole(bytes) ? fromPrefix(bytes) : undefined;
    if (found) return new RolloutRecord(found);
    const object = parseRecord(bytes);
    return object && RolloutRecord.fromObject(object);
  }

  static fromObject(object: Json): RolloutRecord {
    return new RolloutRecord(fromFields(object));
  }

  /** The parsed line; empty if a line that looked whole is damaged. */
  get object(): Json {
    if (this.#object !== undefined) return this.#object;
    this.#object = (this.#bytes && parseRecord(this.#bytes)) ?? {};
    return this.#object;
  }

  get payload(): Json {
    this.#payload ??= this.bare ? this.object : payloadOf(this.object);
    return this.#payload;
  }

  /** Of a message. */
  get role(): unknown {
    return roleOf(this.payload);
  }

  /** The answer to a summary request, which is not a reply. */
  get isSummary(): boolean {
    return isSummaryAnswer(this.object);
  }

  /** Keeps what may be needed after the next line is read. */
  keep(): this {
    if (this.#object === undefined && this.#bytes) this.#bytes = Buffer.from(this.#bytes);
    return this;
  }

  get time(): number | undefined {
    return asTime(this.timestamp);
  }

  /** Whether a piece of JSON text occurs outside of strings, without parsing. */
  contains(json: string): boolean {
    return this.#bytes?.includes(json) ?? jsonText(this.#object).includes(json);
  }
}
