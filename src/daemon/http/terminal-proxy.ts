/**
 * A browser's terminal: after the gate, the connection is handed through to the session's runner byte by byte. Neither
 * side is read ahead of the other, so a slow browser slows nobody but itself: its runner notices and skips ahead.
 */
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { ERROR_STATUS, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { INCARNATION_HEADER } from "../../protocol/runner-api.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import type { SessionStore } from "../store/store.ts";
import type { Gate, Transport } from "./gate.ts";

/** What of the client's request the runner needs. Extensions are left out: compressing on this machine only costs. */
const FORWARDED_HEADERS = ["upgrade", "connection", "sec-websocket-key", "sec-websocket-version"] as const;

/** What a client may ask of the runner. */
const FORWARDED_PARAMETERS = ["pty", "history", "since", "of", "ack"] as const;

const VALUE = /^[A-Za-z0-9._=+/,; -]{1,128}$/;

export function proxyTerminal(
  store: SessionStore,
  gate: Gate,
  transport: Transport,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
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
  join(client, record.socket_path, handshake, head);
}

function join(client: Duplex, socketPath: string, handshake: string, head: Buffer): void {
  const runner = connect(socketPath);
  let isOpen = false;
  runner.once("connect", () => {
    isOpen = true;
    runner.write(handshake);
    if (head.length > 0) runner.write(head);
    client.pipe(runner);
    runner.pipe(client);
  });
  runner.once("error", () => {
    if (isOpen) client.destroy();
    else refuse(client, "runner_unreachable");
  });
  // A connection that broke on one side ends on the other; piping alone would leave it half open.
  client.once("close", () => runner.destroy());
  runner.once("close", () => client.destroy());
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

function refuse(client: Duplex, code: DaemonErrorCode): void {
  const body = JSON.stringify({ ok: false, error: { code, message: "The terminal is not to be had." } });
  client.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
}
