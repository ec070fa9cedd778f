/** A connection that the daemon hands to its relay loses nothing on the way. */
import { once, type EventEmitter } from "node:events";
import { createServer } from "node:http";
import { createServer as createEcho, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { TerminalRelay } from "../../src/daemon/relay/terminal-relay.ts";

const RELAY = join(import.meta.dirname, "../../dist/relay-process.cjs");

/** Time in which a relay that does not wait for the daemon greets the client. */
const BUSY_MS = 1000;

/**
 * In a thread of its own: it types as soon as it is greeted, also while the daemon is busy. Twice, since the first connection
 * starts the relay.
 */
const CLIENT = `
const { workerData: { port, greetings }, parentPort } = require("node:worker_threads");
function connect() {
  const client = require("node:net").connect(port, "127.0.0.1");
  client.write("GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: upgrade\\r\\nupgrade: x\\r\\n\\r\\n");
  client.once("data", () => {
    client.once("data", (data) => {
      parentPort.postMessage(String(data));
      if (Atomics.load(greetings, 0) === 1) connect();
    });
    client.write("typed at once", () => {
      Atomics.add(greetings, 0, 1);
      Atomics.notify(greetings, 0);
    });
  });
}
connect();
`;

test("a client is greeted only when the daemon reads from its connection no more", async () => {
  const session = createEcho((socket) => socket.pipe(socket));
  const daemon = createServer();
  const relay = new TerminalRelay(() => undefined, RELAY);
  const greetings = new Int32Array(new SharedArrayBuffer(4));
  let isEarly = false;
  daemon.on("upgrade", (_, client) => {
    relay.hand(client as Socket, {
      to: { host: "127.0.0.1", ...addressOf(session) },
      handshake: "",
      greeting: "go",
      head: "",
    });
    // A busy daemon: it does not know yet that the relay has the connection.
    if (Atomics.load(greetings, 0) === 1) isEarly = Atomics.wait(greetings, 0, 1, BUSY_MS) !== "timed-out";
  });
  await Promise.all([listening(session), listening(daemon)]);
  const client = new Worker(CLIENT, { eval: true, workerData: { ...addressOf(daemon), greetings } });
  onTestFinished(async () => {
    relay.close();
    daemon.close();
    session.close();
    await client.terminate();
  });
  await once(client, "message");
  const [echo] = (await once(client, "message")) as [string];
  expect({ isEarly, echo }).toEqual({ isEarly: false, echo: "typed at once" });
});

function addressOf(server: Pick<Server, "address">): { port: number; encrypted: boolean } {
  return { port: (server.address() as AddressInfo).port, encrypted: false };
}

async function listening(server: EventEmitter & { listen(port: number, host: string): unknown }): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
