/** The daemon's listeners: its Unix socket, and a TCP port on a private address. */
import { getRequestListener } from "@hono/node-server";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AgentMuxError } from "../../core/errors.ts";
import type { App } from "../http/app.ts";
import { isPrivate } from "./private-address.ts";
import type { Transport } from "../http/gate.ts";

/** Time limit for a request's headers, against slow clients. */
const HEADERS_WITHIN_MS = 20_000;

export type OnUpgrade = (transport: Transport, request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The caller holds the daemon lock; an existing socket file is stale. */
export async function listenOnSocket(path: string, app: App, onUpgrade: OnUpgrade): Promise<Server> {
  rmSync(path, { force: true });
  const server = serverFor("unix", app, onUpgrade);
  await listening(server, () => {
    // The umask makes the socket private from the moment it is created.
    const before = process.umask(0o177);
    server.listen(path);
    process.umask(before);
  });
  chmodSync(path, 0o600);
  return server;
}

export async function listenOnPort(host: string, port: number, app: App, onUpgrade: OnUpgrade): Promise<Server> {
  const server = serverFor("tcp", app, onUpgrade);
  await listening(server, () => server.listen(port, host));
  return server;
}

/** `127.0.0.1:8790` and its other names, as in a Host header. */
export function hostNames(host: string, port: number): string[] {
  const isLoopback = host === "::1" || host.startsWith("127.");
  const names = isLoopback ? [host, "localhost", "127.0.0.1", "::1"] : [host];
  return names.map((name) => `${name.includes(":") ? `[${name}]` : name}:${port}`);
}

export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

function serverFor(transport: Transport, app: App, onUpgrade: OnUpgrade): Server {
  const listener = getRequestListener((request, { outgoing }) =>
    app.fetch(request, { transport, outgoing: outgoing as ServerResponse }),
  );
  const server = createServer({ headersTimeout: HEADERS_WITHIN_MS, requestTimeout: 0 }, (request, response) => {
    response.once("finish", () => readLittleMore(request));
    void listener(request, response);
  });
  server.on("upgrade", (request, socket, head) => onUpgrade(transport, request, socket, head));
  server.on("clientError", (_, socket) => socket.destroy());
  return server;
}

/** Input after the answer is read up to this limit, so that the client gets the answer. */
const MORE_BYTES = 1024 * 1024;
const MORE_MS = 2000;
const LOOK_EVERY_MS = 5;

function readLittleMore(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const limit = socket.bytesRead + MORE_BYTES;
  const deadline = performance.now() + MORE_MS;
  // Node discards these bytes silently.
  const timer = setInterval(() => {
    if (socket.destroyed || request.complete) clearInterval(timer);
    else if (socket.bytesRead > limit || performance.now() > deadline) socket.destroy();
  }, LOOK_EVERY_MS);
  socket.once("close", () => clearInterval(timer));
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", resolve);
    listen();
  });
}

/** The port has no encryption, so only private networks may reach it. */
export function checkAddress(host: string): void {
  if (isPrivate(host)) return;
  throw new AgentMuxError("CONFIG_ERROR", `${host} is not an address of this machine or of a private network.`);
}
