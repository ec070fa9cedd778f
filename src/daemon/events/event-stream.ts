/**
 * Server-sent events for one consumer: first all there is, then every change. The stream is pulled, so nothing is written
 * ahead of a consumer that does not read.
 */
import { randomBytes } from "node:crypto";
import type { ChangeLog, ChangeLogEntry } from "./change-log.ts";

/** A chunk of events; the next is made when this one has been taken. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Changes of one moment go together; a single one goes at once. */
const GATHER_MS = 30;

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

export class EventStream {
  readonly #log: ChangeLog;
  readonly #source: EventSource;
  #position: number;
  /** What is being told of the beginning; undefined when that is over. */
  #opening: Iterator<string> | undefined;
  #sentAt = 0;
  #cancelled = false;
  #wake: () => void = () => undefined;

  constructor(log: ChangeLog, source: EventSource, lastEventId: string | undefined) {
    this.#log = log;
    this.#source = source;
    this.#position = positionOf(lastEventId) ?? -1;
  }

  /** `hangUp` cuts the connection of a consumer that has stopped reading. */
  body(hangUp: () => void): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let first = true;
    let stuck: NodeJS.Timeout | undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          clearTimeout(stuck);
          const head = first ? `retry: ${RETRY_MS}\n\n` : "";
          first = false;
          const text = head + (this.#next() || (head === "" ? await this.#later() : ""));
          if (this.#cancelled) return;
          controller.enqueue(encoder.encode(text));
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
  #next(): string {
    if (this.#opening === undefined && this.#log.after(this.#position) === undefined) {
      this.#position = this.#log.position;
      this.#opening = this.#source.names()[Symbol.iterator]();
      // Without an id: a consumer that is cut off before the end of it must not go on from here.
      return write("sync-begin", "{}");
    }
    if (this.#opening !== undefined) return this.#open(this.#opening);
    return this.#changes(this.#log.after(this.#position) ?? []);
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

  #changes(entries: readonly ChangeLogEntry[]): string {
    let text = "";
    for (const entry of entries) {
      if (text.length >= CHUNK_CHARACTERS) return text;
      this.#position = entry.position;
      const event = this.#source.render(entry);
      if (event !== undefined) text += write(event.event, event.data, entry.position);
    }
    this.#position = text.length >= CHUNK_CHARACTERS ? this.#position : this.#log.position;
    return text;
  }

  /** Waits for something to tell; a sign of life when there is nothing for long. */
  async #later(): Promise<string> {
    const until = performance.now() + HEARTBEAT_MS;
    for (;;) {
      if (this.#log.position === this.#position) await this.#changed(until - performance.now());
      await this.#sleep(this.#sentAt + GATHER_MS - performance.now());
      if (this.#cancelled) return "";
      this.#sentAt = performance.now();
      const text = this.#next();
      if (text !== "") return text;
      if (performance.now() >= until) return ": still here\n\n";
    }
  }

  #changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      const forget = this.#log.onNext(done);
      this.#wake = done;
    });
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0 && !this.#cancelled) await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function write(event: string, data: string, position?: number): string {
  const id = position === undefined ? "" : `id: ${EPOCH}-${position}\n`;
  return `${id}event: ${event}\ndata: ${data}\n\n`;
}

function positionOf(lastEventId: string | undefined): number | undefined {
  const [, epoch, position] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(lastEventId ?? "") ?? [];
  return epoch === EPOCH ? Number(position) : undefined;
}
