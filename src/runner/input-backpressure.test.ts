import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { InputBackpressure } from "./input-backpressure.ts";
import { acceptWebSocket } from "./websocket.ts";

const LONG_MS = 120_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A program that reads nothing until it may. */
function sleepingProgram(): { pendingBytes: number; drained(): Promise<void>; read(): void } {
  let read = (): void => undefined;
  const drained = new Promise<void>((resolve) => (read = resolve));
  return { pendingBytes: 2 ** 21, drained: () => drained, read };
}

async function connected(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [near] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  return { near, far };
}

it("a paused client gets a sign of life every few seconds, until it is read again", async () => {
  const { near } = await connected();
  const told = vi.fn();
  const program = sleepingProgram();
  new InputBackpressure(near, told).check(program);
  expect(near.isPaused()).toBe(true);
  // Before the client's timeout of 20 seconds.
  vi.advanceTimersByTime(19_000);
  expect(told).toHaveBeenCalled();
  vi.advanceTimersByTime(LONG_MS);
  const count = told.mock.calls.length;
  program.read();
  await vi.waitUntil(() => !near.isPaused());
  vi.advanceTimersByTime(LONG_MS);
  expect(told).toHaveBeenCalledTimes(count);
});

it("a client that has left gets nothing more", async () => {
  const { near } = await connected();
  const told = vi.fn();
  new InputBackpressure(near, told).check(sleepingProgram());
  near.destroy();
  await once(near, "close");
  vi.advanceTimersByTime(LONG_MS);
  expect(told).not.toHaveBeenCalled();
});

it("a paused WebSocket is not taken for dead; one that does not answer is", async () => {
  const { near, far } = await connected();
  far.resume();
  const headers = { upgrade: "websocket", "sec-websocket-key": "key", "sec-websocket-version": "13" };
  const connection = acceptWebSocket({ headers, method: "GET" } as unknown as IncomingMessage, near)!;
  const nothing = (): void => undefined;
  connection.start({ onText: nothing, onBinary: nothing, onDrain: nothing, onClose: nothing }, Buffer.alloc(0));
  const program = sleepingProgram();
  new InputBackpressure(near).check(program);
  vi.advanceTimersByTime(LONG_MS);
  expect(near.destroyed).toBe(false);
  program.read();
  await vi.waitUntil(() => !near.isPaused());
  vi.advanceTimersByTime(LONG_MS);
  expect(near.destroyed).toBe(true);
});
