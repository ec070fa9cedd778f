/**
 * Server-sent events for one consumer: first everything, then every change. Nothing is prepared for a consumer that does not
 * read.
 */
import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import type { BroadcastTimer } from "./broadcast-timer.ts";
import type { ChangeLog, ChangeLogEntry } from "./change-log.ts";

/** Size of a chunk; the next is built when this one was taken. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Longest time without a sign of life. */
const HEARTBEAT_MS = 20_000;

/** A consumer that reads nothing for this long is gone, or can restart. */
const STUCK_MS = 120_000;

/** A browser's delay before it reconnects. */
const RETRY_MS = 1000;

export interface ServerEvent {
  event: string;
  /** JSON, already written. */
  data: string;
}

export interface EventSource {
  /** Names of everything that exists now. */
  names(): Iterable<string>;
  /** The event for a name; undefined if it is outdated. */
  render(entry: { name: string; at?: number }): ServerEvent | undefined;
}

/** Distinguishes positions of this daemon from an earlier one's. */
const EPOCH = randomBytes(4).toString("hex");

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** Changes in wire format, encoded once for all consumers at the same position. */
export class RenderedChanges {
  readonly #log: ChangeLog;
  readonly #source: EventSource;
  #last = { from: -1, until: -1, position: -1, bytes: NOTHING };

  constructor(log: ChangeLog, source: EventSource) {
    this.#log = log;
    this.#source = source;
  }

  /** Changes after a position the log still knows, and the new position; one chunk at a time. */
  after(from: number, until: number): { bytes: Uint8Array; position: number } {
    if (this.#last.from !== from || this.#last.until !== until) {
      this.#last = { from, until, ...this.#render(this.#log.after(from) ?? [], until) };
    }
    return this.#last;
  }

  #render(entries: readonly ChangeLogEntry[], until: number): { bytes: Uint8Array<ArrayBuffer>; position: number } {
    let text = "";
    let position = until;
    for (const entry of entries) {
      if (entry.position > until) break;
      const event = this.#source.render(entry);
      if (event !== undefined) text += write(event.event, event.data, entry.position);
      if (text.length < CHUNK_CHARACTERS) continue;
      position = entry.position;
      break;
    }
    return { bytes: encode(text), position };
  }
}

/** The changes, and when they are sent. */
export interface ChangeFeed {
  log: ChangeLog;
  beat: BroadcastTimer;
}

/** A consumer's connection. */
export type Consumer = Pick<Writable, "write" | "once" | "destroy" | "destroyed">;

export class EventStream {
  readonly #log: ChangeLog;
  readonly #source: EventSource;
  readonly #changes: RenderedChanges;
  readonly #beat: BroadcastTimer;
  readonly #consumer: Consumer;
  readonly #life: NodeJS.Timeout;
  #position: number;
  /** The rest of the initial state; undefined once it is sent. */
  #opening: Iterator<string> | undefined;
  /** Time of the last write. */
  #spokeAt = 0;
  #isFull = false;
  #forget: () => void = () => undefined;

  constructor(
    { log, beat }: ChangeFeed,
    { source, changes }: { source: EventSource; changes: RenderedChanges },
    consumer: Consumer,
    lastEventId: string | undefined,
  ) {
    this.#log = log;
    this.#beat = beat;
    this.#source = source;
    this.#changes = changes;
    this.#consumer = consumer;
    this.#position = positionOf(lastEventId) ?? -1;
    this.#life = setInterval(() => this.#showLife(), HEARTBEAT_MS / 2);
    consumer.once("close", () => this.#end());
  }

  /** Runs until the consumer leaves. */
  begin(): void {
    this.#write(encode(`retry: ${RETRY_MS}\n\n`));
    this.#goOn();
  }

  readonly #goOn = (): void => {
    while (!this.#isFull && !this.#consumer.destroyed) {
      const bytes = this.#next();
      if (bytes.length > 0) this.#write(bytes);
      // A change may be irrelevant for this consumer; its position advances anyway.
      else if (this.#position >= this.#beat.position) {
        this.#forget = this.#beat.onNext(this.#position, this.#goOn);
        return;
      }
    }
  };

  /** Nothing more is built until the consumer has taken this. */
  #write(bytes: Uint8Array): void {
    this.#spokeAt = performance.now();
    if (this.#consumer.write(bytes)) return;
    this.#isFull = true;
    this.#consumer.once("drain", () => {
      this.#isFull = false;
      this.#goOn();
    });
  }

  #showLife(): void {
    const silence = performance.now() - this.#spokeAt;
    if (this.#isFull && silence > STUCK_MS) this.#consumer.destroy();
    else if (!this.#isFull && silence > HEARTBEAT_MS / 2) this.#write(encode(": still here\n\n"));
  }

  #end(): void {
    clearInterval(this.#life);
    this.#forget();
  }

  /** Due events, or nothing. */
  #next(): Uint8Array {
    if (this.#opening === undefined && !this.#log.knows(this.#position)) {
      this.#position = this.#log.position;
      this.#opening = this.#source.names()[Symbol.iterator]();
      // Without an id: a consumer cut off before its end must not continue from here.
      return encode(write("sync-begin", "{}"));
    }
    if (this.#opening !== undefined) return encode(this.#open(this.#opening));
    if (this.#position >= this.#beat.position) return NOTHING;
    const { bytes, position } = this.#changes.after(this.#position, this.#beat.position);
    this.#position = position;
    return bytes;
  }

  #open(names: Iterator<string>): string {
    let text = "";
    while (text.length < CHUNK_CHARACTERS) {
      const { value: name, done } = names.next();
      if (done === true) {
        this.#opening = undefined;
        return text + write("sync-end", "{}", this.#position);
      }
      const event = this.#source.render({ name });
      if (event !== undefined) text += write(event.event, event.data);
    }
    return text;
  }
}

function write(event: string, data: string, position?: number): string {
  const id = position === undefined ? "" : `id: ${EPOCH}-${position}\n`;
  return `${id}event: ${event}\ndata: ${data}\n\n`;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return text === "" ? NOTHING : encoder.encode(text);
}

function positionOf(lastEventId: string | undefined): number | undefined {
  const [, epoch, position] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(lastEventId ?? "") ?? [];
  return epoch === EPOCH ? Number(position) : undefined;
}
