/** A viewer that no longer answers, without having disconnected: its size is not everybody's. */
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { encodeFrame } from "../../src/protocol/frame-codec.ts";
import { launchSpec } from "../../src/protocol/launch-spec.ts";
import { SILENT } from "../../src/runner/direct-pty.ts";
import { FrameSession } from "../../src/runner/frame-session.ts";
import { Session } from "../../src/runner/session.ts";
import type { Terminal } from "../../src/runner/terminal.ts";
import { WebSocketConnection } from "../../src/runner/websocket.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";

let server: Server | undefined;
let session: Session | undefined;
const near: Socket[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of near.splice(0)) socket.destroy();
  server?.close();
  await session?.kill();
  session = undefined;
});

async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const path = join(tempHome().path, "s.sock");
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    near.push(socket);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  return path;
}

async function shared(): Promise<{ path: string; terminal: Terminal }> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const spec = launchSpec({ id: "direct", command: ["cat"], cwd: "/", created_at: new Date().toISOString() });
  session = new Session(spec, env, SILENT, (error) => {
    throw error;
  });
  const terminal = session.create({ command: ["cat"], cwd: "/", cols: 80, rows: 24 });
  const path = await listen((socket) => new FrameSession(socket, session!, "incarnation", ["sh"]));
  return { path, terminal };
}

/** Says these frames and never anything by itself. */
function mute(path: string, ptyId: string, cols: number): Socket {
  const socket = connect(path);
  socket.on("error", () => undefined).resume();
  for (const frame of [
    { _tag: "hello", version: 1, capabilities: [] },
    { _tag: "attach", ptyId },
    { _tag: "resize", ptyId, cols, rows: 20 },
    { _tag: "focus", ptyId },
  ])
    socket.write(encodeFrame(frame as never));
  near.push(socket);
  return socket;
}

test("a terminal grows back when the smaller attached viewer falls silent, and a word brings it back", async () => {
  const { path, terminal } = await shared();
  const desk = await openShimConnection(path);
  let pongs = 0;
  desk.subscribe(({ _tag }) => void (pongs += _tag === "pong" ? 1 : 0));
  desk.send({ _tag: "attach", ptyId: terminal.id });
  desk.send({ _tag: "resize", ptyId: terminal.id, cols: 120, rows: 40 });
  await waitFor("the desk's size", () => terminal.cols === 120);
  const phone = mute(path, terminal.id, 50);
  await waitFor("the phone's size", () => terminal.cols === 50);
  vi.advanceTimersByTime(20_000);
  await waitFor("the desk's ping to be answered", () => pongs === 1);
  expect(terminal.cols, "it may still be there").toBe(50);
  vi.advanceTimersByTime(10_000);
  expect(terminal.cols).toBe(120);
  phone.write(encodeFrame({ _tag: "focus", ptyId: terminal.id }));
  await waitFor("the phone's size again", () => terminal.cols === 50);
  desk.close();
});

test("a viewer that is quiet but answers keeps its size", async () => {
  const { path, terminal } = await shared();
  mute(path, terminal.id, 120);
  await waitFor("the first size", () => terminal.cols === 120);
  const small = await openShimConnection(path);
  let pongs = 0;
  small.subscribe(({ _tag }) => void (pongs += _tag === "pong" ? 1 : 0));
  small.send({ _tag: "attach", ptyId: terminal.id });
  small.send({ _tag: "resize", ptyId: terminal.id, cols: 50, rows: 20 });
  small.send({ _tag: "focus", ptyId: terminal.id });
  await waitFor("the small size", () => terminal.cols === 50);
  for (let turn = 1; turn <= 6; turn++) {
    vi.advanceTimersByTime(20_000);
    await waitFor("an answer", () => pongs === turn);
  }
  expect(terminal.cols).toBe(50);
  small.close();
});

test.each([
  ["a page that has not answered for 30 s is disconnected, and its size with it", false],
  ["a page that answers stays", true],
])("%s", async (_, answers) => {
  let isClosed = false;
  const path = await listen((socket) =>
    new WebSocketConnection(socket).start(
      {
        onText: () => undefined,
        onBinary: () => undefined,
        onDrain: () => undefined,
        onClose: () => (isClosed = true),
      },
      Buffer.alloc(0),
    ),
  );
  let pings = 0;
  const page = connect(path).on("error", () => undefined);
  near.push(page);
  page.on("data", () => {
    pings++;
    // A masked pong.
    if (answers) page.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
  });
  await waitFor("the connection", () => near.length === 2);
  vi.advanceTimersByTime(15_000);
  await waitFor("a ping", () => pings === 1);
  if (answers) {
    await waitFor("the pong to arrive", () => near.some((socket) => socket !== page && socket.bytesRead === 6));
    vi.advanceTimersByTime(15_000);
    await waitFor("another ping", () => pings === 2);
    expect(isClosed).toBe(false);
  } else {
    vi.advanceTimersByTime(15_000);
    await waitFor("the end", () => isClosed);
  }
});
