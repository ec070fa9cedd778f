/** A connection that the daemon hands to its relay loses nothing on the way. */
import { once, type EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createEcho, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { TerminalRelay } from "../../src/daemon/relay/terminal-relay.ts";

const RELAY = join(import.meta.dirname, "../../dist/relay-process.cjs");

/** Stops the relay when that has greeted it, types, and lets the daemon go on. */
const CLIENT = `
const { workerData: { port, pidFile, typed }, parentPort } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const client = require("node:net").connect(port, "127.0.0.1");
client.write("GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: upgrade\\r\\nupgrade: x\\r\\n\\r\\n");
client.once("data", () => {
  const pid = Number(readFileSync(pidFile, "utf8"));
  process.kill(pid, "SIGSTOP");
  while (!readFileSync("/proc/" + pid + "/stat", "utf8").includes(") T ")) continue;
  client.once("data", (data) => parentPort.postMessage(String(data)));
  client.write("typed at once", () => {
    Atomics.store(typed, 0, 1);
    Atomics.notify(typed, 0);
  });
});
`;

test("what is typed before the daemon knows that the relay has the connection reaches the session", async () => {
  const place = mkdtempSync("/tmp/amux-relay-");
  const [program, pidFile] = [join(place, "relay.cjs"), join(place, "pid")];
  const tellsPid = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  writeFileSync(program, `${tellsPid}require(${JSON.stringify(RELAY)});`);
  const session = createEcho((socket) => socket.pipe(socket));
  const daemon = createServer();
  const relay = new TerminalRelay(() => undefined, program);
  const typed = new Int32Array(new SharedArrayBuffer(4));
  daemon.on("upgrade", (_, client) => {
    relay.hand(client as Socket, {
      to: { host: "127.0.0.1", ...addressOf(session) },
      handshake: "",
      greeting: "go",
      head: "",
    });
    // A busy daemon: the relay's word that it has the connection, and what was typed, come at the same time.
    Atomics.wait(typed, 0, 0);
    afterNextRead(() => process.kill(Number(readFileSync(pidFile, "utf8")), "SIGCONT"));
  });
  await Promise.all([listening(session), listening(daemon)]);
  const client = new Worker(CLIENT, { eval: true, workerData: { ...addressOf(daemon), pidFile, typed } });
  onTestFinished(async () => {
    relay.close();
    daemon.close();
    session.close();
    await client.terminate();
    rmSync(place, { recursive: true });
  });
  const [echo] = (await once(client, "message")) as [string];
  expect(echo).toBe("typed at once");
});

/** Once everything that has arrived was read: one immediate for this turn of the loop, one for the next. */
function afterNextRead(run: () => void): void {
  setImmediate(() => setImmediate(run));
}

function addressOf(server: Pick<Server, "address">): { port: number; encrypted: boolean } {
  return { port: (server.address() as AddressInfo).port, encrypted: false };
}

async function listening(server: EventEmitter & { listen(port: number, host: string): unknown }): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
