/**
 * Server-sent events for one consumer: first all there is, then every change. The stream is pulled, so nothing is written
 * ahead of a consumer that does not read.
 */
import { randomBytes } from "node:crypto";
import type { Beat } from "./beat.ts";
import type { ChangeLog, ChangeLogEntry } from "./change-log.ts";

/** A chunk of events; the next is made when this one has been taken. */
const CHUNK_CHARACTERS = 64 * 1024;

const HEARTBEAT_MS = 20_000;

/** A consumer that takes nothing for so long is gone, or will be glad to start anew. */
const STUCK_MS = 120_000;

/** What a browser waits before it comes back. */
const RETRY_MS = 1000;

export interface ServerEvent {
  event: string;
  /** JSON, already written. */
  data: string;
}

export interface EventSource {
  /** The names of everything there is now. */
  names(): Iterable<string>;
  /** What to tell about a name; nothing for what is no news any more. */
  render(entry: { name: string; at?: number }): ServerEvent | undefined;
}

/** Tells positions of this daemon from those of one before it. */
const EPOCH = randomBytes(4).toString("hex");

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** Changes as they are sent. Consumers that keep up are all at the same place: what they get is written once for all. */
export class RenderedChanges {
  readonly #log: ChangeLog;
  readonly #source: EventSource;
  #last = { from: -1, until: -1, position: -1, bytes: NOTHING };

  constructor(log: ChangeLog, source: EventSource) {
    this.#log = log;
    this.#source = source;
  }

  /** What happened after a position that the log still knows, and the position reached; a chunk at a time. */
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

/** What happens, and when it is told. */
export interface Told {
  log: ChangeLog;
  beat: Beat;
}

export class EventStream {
  readonly #log: ChangeLog;
  readonly #source: EventSource;
  readonly #changes: RenderedChanges;
  readonly #beat: Beat;
  #position: number;
  /** What is being told of the beginning; undefined when that is over. */
  #opening: Iterator<string> | undefined;
  #cancelled = false;
  #wake: () => void = () => undefined;

  constructor({ log, beat }: Told, source: EventSource, changes: RenderedChanges, lastEventId: string | undefined) {
    this.#log = log;
    this.#beat = beat;
    this.#source = source;
    this.#changes = changes;
    this.#position = positionOf(lastEventId) ?? -1;
  }

  /** `hangUp` cuts the connection of a consumer that has stopped reading. */
  body(hangUp: () => void): ReadableStream<Uint8Array> {
    let first = true;
    let stuck: NodeJS.Timeout | undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          clearTimeout(stuck);
          const due = first ? encode(`retry: ${RETRY_MS}\n\n`) : this.#next();
          first = false;
          const bytes = due.length > 0 ? due : await this.#later();
          if (this.#cancelled) return;
          controller.enqueue(bytes);
          stuck = setTimeout(hangUp, STUCK_MS);
          stuck.unref();
        },
        cancel: () => {
          this.#cancelled = true;
          clearTimeout(stuck);
          this.#wake();
        },
      },
      // Nothing is made before it is asked for.
      { highWaterMark: 0 },
    );
  }

  /** Events that are due, or nothing. */
  #next(): Uint8Array {
    if (this.#opening === undefined && this.#log.after(this.#position) === undefined) {
      this.#position = this.#log.position;
      this.#opening = this.#source.names()[Symbol.iterator]();
      // Without an id: a consumer that is cut off before the end of it must not go on from here.
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

  /** Waits for something to tell; a sign of life when there is nothing for long. */
  async #later(): Promise<Uint8Array> {
    const until = performance.now() + HEARTBEAT_MS;
    for (;;) {
      await this.#told(until - performance.now());
      if (this.#cancelled) return NOTHING;
      const bytes = this.#next();
      if (bytes.length > 0) return bytes;
      if (performance.now() >= until) return encode(": still here\n\n");
    }
  }

  #told(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      const forget = this.#beat.onNext(this.#position, done);
      this.#wake = done;
    });
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
