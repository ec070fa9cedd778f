/**
 * The runner's events as server-sent events: first the current state, then every change. A subscriber that does not read is
 * disconnected.
 */
import type { ServerResponse } from "node:http";
import type { RunnerEvent } from "../protocol/runner-api.ts";
import type { Session } from "./session.ts";

const MAX_WAITING_BYTES = 256 * 1024;
const HEARTBEAT_MS = 20_000;

const CONTENT_TYPE = "text/event-stream";

export function isEventStream(response: ServerResponse): boolean {
  return response.getHeader("content-type") === CONTENT_TYPE;
}

export function streamEvents(session: Session, response: ServerResponse): void {
  let id = 0;
  const send = ({ name, data }: RunnerEvent): void => {
    response.write(`id: ${++id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  };
  response.setHeader("content-type", CONTENT_TYPE).setHeader("cache-control", "no-store");
  const { state } = session;
  const { unread, unreadToken: unread_token, title, address: slug, titles } = state;
  send({ name: "meta", data: { title, ...titles, unread, unread_token, ...(slug === undefined ? {} : { slug }) } });
  send({ name: "status", data: state.status });
  if (!session.alive && state.end !== undefined) send({ name: "exit", data: state.end });
  const unsubscribe = session.hub.subscribe(send);
  const heartbeat = setInterval(() => response.write(": still here\n\n"), HEARTBEAT_MS);
  response.once("close", () => {
    unsubscribe();
    clearInterval(heartbeat);
  });
}
