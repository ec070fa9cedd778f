/** A browser's terminal: what passes the gate is handed over to the relay, which ties it to the session's runner. */
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ERROR_STATUS, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { INCARNATION_HEADER } from "../../protocol/runner-api.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import type { SessionStore } from "../store/store.ts";
import type { TerminalRelay } from "../relay/terminal-relay.ts";
import type { Gate, Transport } from "./gate.ts";

/** What of the client's request the runner needs. Extensions are left out: compressing on this machine only costs. */
const FORWARDED_HEADERS = ["upgrade", "connection", "sec-websocket-key", "sec-websocket-version"] as const;

/** What a client may ask of the runner. */
const FORWARDED_PARAMETERS = ["pty", "history", "since", "of", "ack"] as const;

const VALUE = /^[A-Za-z0-9._=+/,; -]{1,128}$/;

export function proxyTerminal(
  { store, gate, relay }: { store: SessionStore; gate: Gate; relay: TerminalRelay },
  transport: Transport,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  if (!(client instanceof Socket)) return void client.destroy();
  client.on("error", () => client.destroy());
  const url = new URL(request.url ?? "/", "http://daemon");
  const verdict = gate.judge({
    transport,
    method: request.method ?? "GET",
    path: url.pathname,
    isUpgrade: true,
    header: (name) => headerOf(request, name),
  });
  if (!verdict.admitted) return refuse(client, verdict.code);
  const id = /^\/ws\/([^/]+)$/.exec(url.pathname)?.[1];
  if (id === undefined) return refuse(client, "not_found");
  if (!isSessionId(id)) return refuse(client, "bad_request");
  const record = store.record(id);
  if (record === undefined) return refuse(client, "not_found");
  if (!record.alive || record.socket_path === undefined) return refuse(client, "not_running");
  const handshake = handshakeFor(request, url, record.incarnation);
  if (handshake === undefined) return refuse(client, "bad_request");
  relay.hand(client, { socketPath: record.socket_path, handshake, head: head.toString("base64") });
}

/** Undefined when the request is not one a WebSocket client makes. */
function handshakeFor(request: IncomingMessage, url: URL, incarnation: string | undefined): string | undefined {
  const lines: string[] = [];
  for (const name of FORWARDED_HEADERS) {
    const value = headerOf(request, name);
    if (value === undefined || !VALUE.test(value)) return undefined;
    lines.push(`${name}: ${value}`);
  }
  if (incarnation !== undefined) lines.push(`${INCARNATION_HEADER}: ${incarnation}`);
  const query = new URLSearchParams();
  for (const name of FORWARDED_PARAMETERS) {
    const value = url.searchParams.get(name);
    if (value !== null && /^[A-Za-z0-9._-]{1,64}$/.test(value)) query.set(name, value);
  }
  return `GET /?${query.toString()} HTTP/1.1\r\nhost: runner\r\n${lines.join("\r\n")}\r\n\r\n`;
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function refuse(client: Socket, code: DaemonErrorCode): void {
  const body = JSON.stringify({ ok: false, error: { code, message: "The terminal is not to be had." } });
  client.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
}
