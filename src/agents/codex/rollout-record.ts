/** One record of a rollout of any generation. */
import { asTime, type Json } from "../../lib/json/fields.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { fromFields, isSummaryAnswer, payloadOf, roleOf } from "./format.ts";

export class RolloutRecord {
  /** `turn_context`, `response_item/message`, `event_msg/item_completed/UserMessage`. */
  readonly type: string;
  readonly ordinal: number | undefined;
  /** For an item event: its thread. A review's items are also written to its parent's file. */
  readonly itemThread: string | undefined;
  /** Without an envelope: the record is the item. */
  readonly bare: boolean;
  readonly timestamp: unknown;
  readonly object: Json;
  readonly payload: Json;

  constructor(object: Json) {
    const { type, ordinal, itemThread, bare = false, timestamp } = fromFields(object);
    this.type = type;
    this.ordinal = ordinal;
    this.itemThread = itemThread;
    this.bare = bare;
    this.timestamp = timestamp;
    this.object = object;
    this.payload = bare ? object : payloadOf(object);
  }

  /** Undefined if the line is not a record. */
  static fromLine(bytes: Buffer): RolloutRecord | undefined {
    const object = parseRecord(bytes);
    return object && new RolloutRecord(object);
  }

  /** Of a message. */
  get role(): unknown {
    return roleOf(this.payload);
  }

  /** The answer to a summary request, which is not a reply. */
  get isSummary(): boolean {
    return isSummaryAnswer(this.object);
  }

  get time(): number | undefined {
    return asTime(this.timestamp);
  }
}
