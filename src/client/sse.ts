/** A client for server-sent events. */
import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { requestTo, type Endpoint } from "./endpoint.ts";

/** Far more than any known event. A sender that never ends one would otherwise fill our memory. */
const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024;

export interface SseEvent {
  event: string;
  data: string;
  id?: string;
}

export interface SseOptions {
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** A stream silent for longer, without even heartbeats, is dead. */
  silenceMs: number;
  maxEventCharacters?: number;
  /** A sender that exceeds this is throttled. */
  maxBytesPerSecond?: number;
}

export type SseRequest = Endpoint & SseOptions;

export interface SseListener {
  onOpen?(headers: IncomingMessage["headers"]): void;
  onEvent(event: SseEvent): void;
  /** Called once, for any reason. */
  onEnd(error?: Error): void;
}

/** Returns a function that closes the stream; that also calls `onEnd`. */
export function openSse(wanted: SseRequest, listener: SseListener): () => void {
  const { path, headers = {}, silenceMs, maxEventCharacters, maxBytesPerSecond = Number.POSITIVE_INFINITY } = wanted;
  let ended = false;
  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    outgoing.destroy();
    listener.onEnd(error);
  };
  const outgoing = requestTo(wanted, { path, headers: { accept: "text/event-stream", ...headers } });
  outgoing.setTimeout(silenceMs, () => end(new Error("The event stream has ended.")));
  outgoing.on("error", end);
  outgoing.once("response", (response) => {
    if (response.statusCode !== 200)
      return end(new Error(`The event stream was refused with status ${response.statusCode}.`));
    const parser = new SseParser(maxEventCharacters);
    const decoder = new StringDecoder("utf8");
    listener.onOpen?.(response.headers);
    const brake = new Brake(response, maxBytesPerSecond);
    response.on("data", (chunk: Buffer) => {
      brake.passed(chunk.length);
      try {
        for (const event of parser.push(decoder.write(chunk))) if (!ended) listener.onEvent(event);
      } catch (error) {
        end(error as Error);
      }
    });
    response.once("error", end);
    response.once("close", () => end());
  });
  outgoing.end();
  return () => end();
}

/** Stops reading for the rest of a second in which too much arrived. */
class Brake {
  readonly #response: IncomingMessage;
  readonly #perSecond: number;
  #second = 0;
  #bytes = 0;

  constructor(response: IncomingMessage, perSecond: number) {
    this.#response = response;
    this.#perSecond = perSecond;
  }

  passed(bytes: number): void {
    const now = performance.now();
    if (now - this.#second > 1000) {
      this.#second = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes <= this.#perSecond) return;
    this.#response.pause();
    setTimeout(() => this.#response.resume(), this.#second + 1000 - now);
  }
}

/** Splits text into events across chunk borders. Throws for an event that is too long. */
export class SseParser {
  readonly #maxCharacters: number;
  /** Pieces of an incomplete event; joined once it is complete. */
  #pieces: string[] = [];
  #length = 0;

  constructor(maxCharacters = MAX_EVENT_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  *push(text: string): Generator<SseEvent> {
    let start = 0;
    let end = this.#firstEnd(text);
    while (end !== undefined) {
      this.#pieces.push(text.slice(start, Math.max(start, end)));
      start = end + 2;
      const event = parseBlock(this.#pieces.join(""));
      this.#pieces = [];
      this.#length = 0;
      if (event !== undefined) yield event;
      end = endIn(text, start);
    }
    if (start === text.length) return;
    this.#pieces.push(text.slice(start));
    this.#length += text.length - start;
    if (this.#length <= this.#maxCharacters) return;
    this.#pieces = [];
    throw new Error(`An event is longer than ${this.#maxCharacters} characters.`);
  }

  /** The separator may be split too: its first half is then the last character before this text, at -1. */
  #firstEnd(text: string): number | undefined {
    return text.startsWith("\n") && this.#pieces.at(-1)?.endsWith("\n") === true ? -1 : endIn(text, 0);
  }
}

function endIn(text: string, from: number): number | undefined {
  const end = text.indexOf("\n\n", from);
  return end < 0 ? undefined : end;
}

function parseBlock(block: string): SseEvent | undefined {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
  }
  // A comment: how a stream signals that it is alive.
  if (data.length === 0) return undefined;
  return { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
}
