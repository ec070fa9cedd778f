/** Server-sent events from a Unix socket, as they come. */
import { request, type IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";

export interface SseEvent {
  event: string;
  data: string;
  id?: string;
}

export interface SseRequest {
  socketPath: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** A stream that is silent for longer, heartbeats included, is dead. */
  silenceMs: number;
}

export interface SseListener {
  onOpen?(headers: IncomingMessage["headers"]): void;
  onEvent(event: SseEvent): void;
  /** Once, whatever the reason. */
  onEnd(error?: Error): void;
}

/** The answer closes the stream; its end is told then, too. */
export function openSse({ socketPath, path, headers = {}, silenceMs }: SseRequest, listener: SseListener): () => void {
  let ended = false;
  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    outgoing.destroy();
    listener.onEnd(error);
  };
  const outgoing = request({
    socketPath,
    path,
    agent: false,
    headers: { host: "localhost", accept: "text/event-stream", ...headers },
  });
  outgoing.setTimeout(silenceMs, () => end(new Error("The events have stopped.")));
  outgoing.once("error", end);
  outgoing.once("response", (response) => {
    if (response.statusCode !== 200) return end(new Error(`The events were refused with ${response.statusCode}.`));
    const parser = new SseParser();
    const decoder = new StringDecoder("utf8");
    listener.onOpen?.(response.headers);
    response.on("data", (chunk: Buffer) => {
      for (const event of parser.push(decoder.write(chunk))) if (!ended) listener.onEvent(event);
    });
    response.once("error", end);
    response.once("close", () => end());
  });
  outgoing.end();
  return () => end();
}

/** Cuts text into events, wherever it was torn apart. */
export class SseParser {
  #rest = "";

  *push(text: string): Generator<SseEvent> {
    this.#rest += text;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const event = parseBlock(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
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
  // A comment, which is how a stream says that it is still there.
  if (data.length === 0) return undefined;
  return { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
}
