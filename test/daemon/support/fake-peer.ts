/** Stands in for another machine's daemon: older, newer or hostile. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { MuxSession } from "../../../src/protocol/mux-session.ts";

export const TOKEN = "0".repeat(64);

export const HEALTH = {
  service: "amuxd",
  version: "0.9.0",
  status: "ok",
  pid: 4711,
  started_at: "2026-01-01T00:00:00Z",
  hostname: "box",
  sessions: { alive: 0, dead: 0 },
};

export function row(number: number, more: object = {}): MuxSession {
  return {
    id: `sess-${String(number).padStart(8, "0")}`,
    created_at: "2026-01-01T00:00:00Z",
    command: ["sh"],
    cwd: "/w",
    kind: "shell",
    alive: true,
    title: `row ${number}`,
    status: null,
    unread: false,
    stale: false,
    ...more,
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export class FakePeer {
  readonly server: Server;
  /** Open event streams, newest last. */
  readonly streams: ServerResponse[] = [];
  /** Received requests, as `GET /v1/health`. */
  readonly asked: string[] = [];
  readonly #handlers = new Map<string, Handler>();

  constructor() {
    this.answer("/v1/health", HEALTH);
    this.on("/v1/events", (_, response) => this.open(response));
    this.server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://peer").pathname;
      this.asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
      const handler = this.#handlers.get(path);
      if (handler !== undefined) return handler(request, response);
      const error = { code: "not_found", message: `There is nothing at ${path}.` };
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ ok: false, error }));
    });
    onTestFinished(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  on(path: string, handler: Handler): this {
    this.#handlers.set(path, handler);
    return this;
  }

  answer(path: string, data: unknown): this {
    return this.on(path, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, data }));
    });
  }

  /** Answers a stream with its first part, including these events. */
  open(response: ServerResponse, ...events: string[]): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write([said("sync-begin", {}), ...events, said("sync-end", {})].join(""));
    this.streams.push(response);
  }

  tell(...events: string[]): void {
    this.streams.at(-1)?.write(events.join(""));
  }
}

/** An event in wire format. */
export function said(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function upsert(session: { id: string; [field: string]: unknown }): string {
  return said("session-upsert", { type: "session-upsert", id: session.id, session });
}
