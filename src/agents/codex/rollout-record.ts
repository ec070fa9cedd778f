/**
 * One record of a rollout, whatever the generation: an envelope line (2025-09 on), a bare item (before), or
 * an item of the oldest JSON document. Codex writes the fields of a line in a fixed order, so the type is
 * taken from the first bytes and most lines are never parsed: command output alone is most of a file.
 */
import { jsonText } from "../../lib/json.ts";
import { asNumber, asObject, asText, asTime, type Json } from "../../lib/fields.ts";
import { parseRecord, type Line } from "../../lib/jsonl.ts";

export class RolloutRecord {
  /** `turn_context`, `response_item/message`, `event_msg/item_completed/UserMessage`. */
  readonly type: string;
  readonly ordinal: number | undefined;
  /** Of an item event: the thread it happened in. A review's items are also written to its parent's file. */
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

  /** Undefined when the line is no record. Valid until the next line is read, unless it was parsed before. */
  static fromLine({ bytes, complete }: Line): RolloutRecord | undefined {
    const found = complete && looksWhole(bytes) ? fromPrefix(bytes) : undefined;
    if (found) return new RolloutRecord(found);
    const object = parseRecord(bytes);
    return object && RolloutRecord.fromObject(object);
  }

  static fromObject(object: Json): RolloutRecord {
    return new RolloutRecord(fromFields(object));
  }

  /** The parsed line; empty when a line that looked whole turns out to be damaged. */
  get object(): Json {
    if (this.#object !== undefined) return this.#object;
    this.#object = (this.#bytes && parseRecord(this.#bytes)) ?? {};
    return this.#object;
  }

  get payload(): Json {
    this.#payload ??= this.bare ? this.object : (asObject(this.object["payload"]) ?? {});
    return this.#payload;
  }

  /** Of a message. */
  get role(): unknown {
    return this.payload["role"];
  }

  /** The answer to a request for a summary, which is no reply. */
  get isSummary(): boolean {
    return asObject(this.object["metadata"])?.["compaction_output"] === true;
  }

  /** Keeps what may be asked for later, after the next line was read. */
  keep(): this {
    if (this.#object === undefined && this.#bytes) this.#bytes = Buffer.from(this.#bytes);
    return this;
  }

  get time(): number | undefined {
    return asTime(this.timestamp);
  }

  /** Whether a piece of JSON text occurs outside of strings; costs no parsing. */
  contains(json: string): boolean {
    return this.#bytes?.includes(json) ?? jsonText(this.#object).includes(json);
  }
}

interface Found {
  type: string;
  timestamp: unknown;
  ordinal?: number | undefined;
  itemThread?: string | undefined;
  bare?: boolean;
  bytes?: Buffer;
  object?: Json;
}

const PREFIX =
  /^\{"timestamp":"([^"\\]*)",(?:"ordinal":(\d+),)?"type":"(\w+)","payload":\{(?:"type":"(\w+)"(?:,"thread_id":"([^"\\]*)","turn_id":"[^"\\]*","item":\{"type":"(\w+)")?)?/;
/** Longer than any prefix: two ids of 36 characters and five short words. */
const PREFIX_BYTES = 400;
const RECORD_START = Buffer.from('{"timestamp":"');

/** A crash leaves cut lines, blocks of NUL, and the next record behind half of the one before it. */
function looksWhole(bytes: Buffer): boolean {
  return bytes.at(-1) === 125 /* } */ && !bytes.includes(0) && bytes.indexOf(RECORD_START, 1) === -1;
}

function fromPrefix(bytes: Buffer): Found | undefined {
  const match = PREFIX.exec(bytes.toString("latin1", 0, PREFIX_BYTES));
  if (match === null) return undefined;
  const [, timestamp, ordinal, type, inner, itemThread, item] = match;
  // Too much hangs on a header to take a damaged one for granted.
  if (type === "session_meta") return undefined;
  const nested = type === "response_item" || type === "event_msg";
  if (nested && inner === undefined) return undefined;
  if (inner === "item_completed" && item === undefined) return undefined;
  return {
    type: typeName(type!, nested ? inner : undefined, item),
    timestamp,
    ordinal: ordinal === undefined ? undefined : Number(ordinal),
    itemThread: asText(itemThread),
    bytes,
  };
}

function fromFields(object: Json): Found {
  const { timestamp } = object;
  if (!Object.hasOwn(object, "payload")) return { type: bareType(object), timestamp, bare: true, object };
  const payload = asObject(object["payload"]) ?? {};
  const type = asText(object["type"]) ?? "";
  const nested = type === "response_item" || type === "event_msg";
  const item = asObject(payload["item"]);
  return {
    type: typeName(type, nested ? (asText(payload["type"]) ?? "") : undefined, asText(item?.["type"])),
    timestamp,
    ordinal: asNumber(object["ordinal"]),
    itemThread: item && asText(payload["thread_id"]),
    object,
  };
}

/** `event_msg/item_completed/UserMessage` and the like. */
export function typeName(type: string, inner: string | undefined, item: string | undefined): string {
  if (inner === undefined) return type;
  return inner === "item_completed" ? typeBelow(`${type}/${inner}`, item ?? "") : typeBelow(type, inner);
}

/** Every line has a type and there are few of them: each is put together once. */
const typesBelow = new Map<string, Map<string, string>>();
const MAX_TYPES = 1000;

function typeBelow(type: string, inner: string): string {
  let known = typesBelow.get(type);
  if (known === undefined) {
    known = new Map();
    if (typesBelow.size < MAX_TYPES) typesBelow.set(type, known);
  }
  let name = known.get(inner);
  if (name === undefined) {
    name = `${type}/${inner}`;
    if (known.size < MAX_TYPES) known.set(inner, name);
  }
  return name;
}

/** Before the envelope: a header, items of the model's interface, and empty `state` marks. */
function bareType(object: Json): string {
  if (object["record_type"] !== undefined) return `record_type/${String(object["record_type"])}`;
  const type = asText(object["type"]);
  if (type !== undefined) return `response_item/${type}`;
  if (object["role"] !== undefined) return "response_item/message";
  return object["id"] === undefined ? "" : "session_meta";
}
