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
  readonly #role: string | undefined;
  #line: (() => Buffer) | undefined;

  private constructor(found: Found) {
    this.type = found.type;
    this.ordinal = found.ordinal;
    this.itemThread = found.itemThread;
    this.bare = found.bare ?? false;
    this.timestamp = found.timestamp;
    this.#bytes = found.bytes;
    this.#object = found.object;
    this.#payload = found.payload;
    this.#line = found.line;
    this.#role = found.role;
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

  /** Of a line that was found sound; its time is in milliseconds. */
  static scanned(found: ScannedRecord): RolloutRecord {
    return new RolloutRecord(found);
  }

  /** Stands for records nothing is taken from but the time of the last one. */
  static idle(lastMs: number): RolloutRecord {
    return new RolloutRecord({ type: IDLE_TYPE, timestamp: lastMs, payload: {} });
  }

  /** The parsed line; empty when a line that looked whole turns out to be damaged. */
  get object(): Json {
    if (this.#object !== undefined) return this.#object;
    const bytes = this.#text();
    this.#object = (bytes && parseRecord(bytes)) ?? {};
    return this.#object;
  }

  get payload(): Json {
    this.#payload ??= this.bare ? this.object : (asObject(this.object["payload"]) ?? {});
    return this.#payload;
  }

  /** Of a message. */
  get role(): unknown {
    return this.#role ?? this.payload["role"];
  }

  /** The answer to a request for a summary, which is no reply. */
  get isSummary(): boolean {
    return this.#role === undefined && asObject(this.object["metadata"])?.["compaction_output"] === true;
  }

  /** Keeps what may be asked for later, after the next line was read. */
  keep(): this {
    const bytes = this.#object === undefined ? this.#text() : undefined;
    if (bytes) this.#bytes = Buffer.from(bytes);
    this.#line = undefined;
    return this;
  }

  get time(): number | undefined {
    return asTime(this.timestamp);
  }

  /** Whether a piece of JSON text occurs outside of strings; costs no parsing. */
  contains(json: string): boolean {
    return this.#text()?.includes(json) ?? jsonText(this.#object).includes(json);
  }

  #text(): Buffer | undefined {
    this.#bytes ??= this.#line?.();
    return this.#bytes;
  }
}

/** What the scanner knows of a record. */
export interface ScannedRecord {
  type: string;
  timestamp: number;
  ordinal: number | undefined;
  itemThread: string | undefined;
  /** Of a message without further notes on it. */
  role: string | undefined;
  /** As far as anybody asks for it. */
  payload: Json | undefined;
  /** Gives the line; as long as it is there. */
  line: (() => Buffer) | undefined;
}

/** Any of the types nothing is taken from. */
const IDLE_TYPE = "event_msg/background_event";

interface Found {
  type: string;
  timestamp: unknown;
  ordinal?: number | undefined;
  itemThread?: string | undefined;
  bare?: boolean;
  bytes?: Buffer;
  object?: Json;
  payload?: Json | undefined;
  line?: (() => Buffer) | undefined;
  role?: string | undefined;
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
