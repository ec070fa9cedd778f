/** A browser's terminal: authorised connections are handed to the relay, which connects them to the session's runner. */
import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Endpoint } from "../../client/endpoint.ts";
import { optional } from "../../lib/values/optional.ts";
import { ERROR_STATUS, FRAMES_PROTOCOL, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { isSessionId, splitRemoteId } from "../../protocol/session-id.ts";
import { INCARNATION_HEADER } from "../../protocol/runner-headers.ts";
import type { Peers } from "../peers/peers.ts";
import { Problem, problemFrom } from "../problem.ts";
import type { RelayOrder, RelayTarget } from "../relay/relay-order.ts";
import type { TerminalRelay } from "../relay/terminal-relay.ts";
import type { SessionStore } from "../store/store.ts";
import type { Gate, Transport } from "./gate.ts";

/** Headers the runner needs. No extensions: local compression only costs. */
const FORWARDED_HEADERS = ["upgrade", "connection", "sec-websocket-key", "sec-websocket-version"] as const;

/** Parameters a client may pass to the runner. */
const FORWARDED_PARAMETERS = ["pty", "history", "since", "of", "ack"] as const;

const VALUE = /^[A-Za-z0-9._=+/,; -]{1,128}$/;

export interface ProxyParts {
  store: SessionStore;
  gate: Gate;
  relay: TerminalRelay;
  peers: Pick<Peers, "reach">;
}

/** `ws`: a browser's terminal. `frames`: the command line's protocol, for remote sessions. */
type Speech = "ws" | "frames";

export function proxyTerminal(
  { store, gate, relay, peers }: ProxyParts,
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
  const [, speech, id] = /^\/(ws|frames)\/([^/]+)$/.exec(url.pathname) ?? [];
  if (id === undefined) return refuse(client, "not_found");
  try {
    const order = orderFor({ store, peers }, speech as Speech, decodeURIComponent(id), request, url);
    relay.hand(client, { ...order, head: head.toString("base64") });
  } catch (error) {
    refuse(client, problemFrom(error)?.code ?? "bad_request");
  }
}

function orderFor(
  { store, peers }: Pick<ProxyParts, "store" | "peers">,
  speech: Speech,
  id: string,
  request: IncomingMessage,
  url: URL,
): Omit<RelayOrder, "head"> {
  const lines = headersFor(request, speech);
  const session = store.get(id);
  const remote = splitRemoteId(id);
  if (!isSessionId(remote?.id ?? id)) throw new Problem("bad_request", "The id is not valid.");
  if (session === undefined) throw new Problem("not_found", `There is no session ${id}.`);
  if (remote !== undefined) {
    const { endpoint } = peers.reach(remote.peer);
    if (!session.alive && speech === "ws") throw new Problem("not_running", "The session has ended.");
    const [to, more] = wayTo(endpoint);
    return { to, handshake: requestText(`/${speech}/${remote.id}?${queryFrom(url)}`, [...more, ...lines]) };
  }
  const { socket_path: path, incarnation } = store.record(id) ?? {};
  // The command that started a session may come after its end: the runner keeps the output for it.
  const isThere = session.alive || (speech === "frames" && path !== undefined && existsSync(path));
  if (!isThere || path === undefined) throw new Problem("not_running", "The session has ended.");
  // A runner speaks both on one socket: frames begin at once, a WebSocket with a request.
  if (speech === "frames") return { to: { path }, handshake: "", greeting: SWITCHED };
  const guard = incarnation === undefined ? [] : [`${INCARNATION_HEADER}: ${incarnation}`];
  return { to: { path }, handshake: requestText(`/?${queryFrom(url)}`, ["host: runner", ...lines, ...guard]) };
}

const SWITCHED = `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${FRAMES_PROTOCOL}\r\n\r\n`;

function wayTo(endpoint: Endpoint): [to: RelayTarget, headers: string[]] {
  if ("socketPath" in endpoint) return [{ path: endpoint.socketPath }, ["host: localhost"]];
  const { protocol, hostname, host, port } = new URL(endpoint.origin);
  const encrypted = protocol === "https:";
  return [
    {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? (encrypted ? 443 : 80) : Number(port),
      encrypted,
      ...optional("ca", endpoint.ca),
    },
    [`host: ${host}`, `authorization: Bearer ${endpoint.token}`],
  ];
}

function requestText(path: string, lines: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Refuses requests that such a client does not make. */
function headersFor(request: IncomingMessage, speech: Speech): string[] {
  if (speech === "frames") {
    if (headerOf(request, "upgrade") !== FRAMES_PROTOCOL)
      throw new Problem("bad_request", "This is not a request for frames.");
    return ["connection: upgrade", `upgrade: ${FRAMES_PROTOCOL}`];
  }
  return FORWARDED_HEADERS.map((name) => {
    const value = headerOf(request, name);
    if (value === undefined || !VALUE.test(value)) throw new Problem("bad_request", `${name} is not valid.`);
    return `${name}: ${value}`;
  });
}

function queryFrom(url: URL): string {
  const query = new URLSearchParams();
  for (const name of FORWARDED_PARAMETERS) {
    const value = url.searchParams.get(name);
    if (value !== null && /^[A-Za-z0-9._-]{1,64}$/.test(value)) query.set(name, value);
  }
  return query.toString();
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function refuse(client: Socket, code: DaemonErrorCode): void {
  const body = JSON.stringify({ ok: false, error: { code, message: "The terminal is not available." } });
  client.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
}
