import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SocketServer } from "../../src/runner/socket-server.ts";

let path = "";
let taken: [protocol: string, first: string | undefined][] = [];
let client: Socket;
let server: SocketServer;

/** A connection whose server waits for the first byte. */
beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), "amux-socket-")), "socket");
  taken = [];
  const handlers = {
    frames: (socket: Socket, first: Buffer | undefined) => {
      taken.push(["frames", first?.toString("latin1")]);
      socket.destroy();
    },
    http: (socket: Socket) => {
      taken.push(["http", (socket.read() as Buffer).toString("latin1")]);
      socket.destroy();
    },
  };
  server = new SocketServer(path, handlers, (error) => {
    throw error;
  });
  await server.listen();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  client = connect(path);
  await until(() => vi.getTimerCount() === 1);
});

afterEach(() => {
  vi.useRealTimers();
  client.destroy();
  server.close();
  rmSync(dirname(path), { recursive: true, force: true });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("a request that comes seconds after its connection is taken as HTTP", async () => {
  vi.advanceTimersByTime(4999);
  client.write("GET /meta HTTP/1.1");
  await until(() => taken.length > 0);
  expect(taken).toEqual([["http", "GET /meta HTTP/1.1"]]);
});

test("a request that had arrived when the time was up is taken as HTTP", async () => {
  await new Promise<void>((resolve) => client.write("GET /meta HTTP/1.1", () => resolve()));
  vi.advanceTimersByTime(5000);
  await until(() => taken.length > 0);
  expect(taken).toEqual([["http", "GET /meta HTTP/1.1"]]);
});

test("a first byte of zero means frames, and so does silence", async () => {
  client.write("\0rest");
  await until(() => taken.length > 0);
  client = connect(path);
  await until(() => vi.getTimerCount() === 1);
  vi.advanceTimersByTime(5000);
  await until(() => taken.length > 1);
  expect(taken).toEqual([
    ["frames", "\0rest"],
    ["frames", undefined],
  ]);
});

test("a directory that somebody is still removing while it is restored is restored soon, not half a minute later", async () => {
  server.close();
  const directory = dirname(path);
  const lock = join(directory, "lock");
  const failures: unknown[] = [];
  const restore = (): boolean => {
    if (failures.length === 0) throw new Error("The directory is gone.");
    mkdirSync(directory, { recursive: true });
    writeFileSync(lock, "");
    return true;
  };
  const handlers = { frames: () => undefined, http: () => undefined };
  server = new SocketServer(path, handlers, (error) => failures.push(error), { lock, restore });
  writeFileSync(lock, "");
  await server.listen();
  rmSync(directory, { recursive: true });
  server.look();
  vi.advanceTimersByTime(1000);
  expect(failures).toHaveLength(1);
  vi.advanceTimersByTime(500);
  await until(() => existsSync(path));
});
