/** The runner's HTTP and WebSocket, used by foreign programs: curl and the ws library. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import WebSocket from "ws";
import { WebSocketConnection } from "../../src/runner/websocket.ts";
import { createEmulator } from "../../src/screen/emulator.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";

const run = promisify(execFile);

async function curl(socket: string, ...args: string[]): Promise<string> {
  return (await run("curl", ["-s", "--unix-socket", socket, ...args])).stdout;
}

test("a hook written for the published interface sets the status, and null clears it", async () => {
  const home = new TestHome();
  const id = await home.spawn(
    `curl -s --unix-socket "$GMUX_SOCKET" http://localhost/status -X PUT -d '{"label":"thinking","working":true}'; exec cat`,
  );
  await waitFor("the status", async () => (await home.meta(id)).status !== null);
  expect((await home.meta(id)).status).toEqual({ label: "thinking", working: true });
  await curl(home.client.files(id).socket, "http://localhost/status", "-X", "PUT", "-d", "null");
  expect((await home.meta(id)).status).toBeNull();
});

test("the status comes through the terminal too, and never reaches the screen", async () => {
  const home = new TestHome();
  const id = await home.spawn(`printf 'a\\033]7777;{"label":"waiting","working":false}\\033\\\\b'; exec cat`);
  await home.waitForText(id, "ab");
  expect((await home.meta(id)).status).toEqual({ label: "waiting", working: false });
});

test("an agent that queries OSC 7501 gets the answer before DA1's, and its states become the status", async () => {
  const home = new TestHome();
  const id = await home.spawn(
    `stty raw -echo; printf '\\033]7501;?\\033\\\\\\033[c'; dd bs=1 count=16 2>/dev/null | od -c | head -2; stty sane; printf '\\033]7501;state=blocked:app=x:kind=permission:msg=YXNrPw==\\007'; exec cat`,
  );
  const text = await home.waitForText(id, /033 +\] +7 +5 +0 +1 +; +\? +033 +\\ +033 +\[/);
  expect(text).toContain("7   5   0   1");
  await waitFor("the state", async () => (await home.meta(id)).status?.label === "ask?");
  expect((await home.meta(id)).reports).toMatchObject([{ state: "permission", message: "ask?", source: "agent" }]);
});

test("the program can set slug and subtitle, as text or as JSON", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const put = async (path: string, body: string): Promise<number> =>
    (await home.ask(id, { method: "PUT", path, body })).status;
  for (const body of ["fix-auth-bug", '"fix-auth-bug"', '{"slug":"fix-auth-bug"}']) {
    expect(await put("/slug", "something-else")).toBe(204);
    expect(await put("/slug", body), body).toBe(204);
    expect(await home.meta(id)).toMatchObject({ slug: "fix-auth-bug" });
  }
  for (const body of ["{", "{}", '{"slug":5}', "[]"]) expect(await put("/slug", body), body).toBe(400);
  expect(await put("/subtitle", "3 of 10\u001b\n tests")).toBe(204);
  expect(await home.meta(id)).toMatchObject({ subtitle: "3 of 10 tests", title: "sh -c exec cat" });
  expect(await put("/subtitle", "")).toBe(204);
  expect(await home.meta(id)).not.toHaveProperty("subtitle");
});

test("new transcript records show what an agent does, older ones do not", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { kind: "claude" });
  const transcript = join(home.home, "t.jsonl");
  const prompt = (timestamp: string): string =>
    `${JSON.stringify({ type: "user", timestamp, message: { role: "user", content: "Fix it" } })}\n`;
  const tell = async (): Promise<number> =>
    (
      await home.ask(id, {
        method: "PUT",
        path: "/conversation",
        body: JSON.stringify({ title: "Fix it", transcript }),
      })
    ).status;
  writeFileSync(transcript, prompt("2026-01-02T03:04:05.000Z"));
  expect(await tell()).toBe(204);
  expect(await home.meta(id)).toMatchObject({ title: "Fix it", adapter_title: "Fix it", status: null, reports: [] });
  writeFileSync(transcript, prompt(new Date().toISOString()), { flag: "a" });
  expect(await tell()).toBe(204);
  await waitFor("its work", async () => (await home.meta(id)).status?.working === true);
  expect((await home.meta(id)).state).toMatchObject({ state: "working", source: "transcript" });
  const bad = await home.ask(id, {
    method: "PUT",
    path: "/conversation",
    body: '{"title":"x","transcript":"t.jsonl"}',
  });
  expect(bad.status).toBe(400);
});

test("bad requests are refused, and the runner continues", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const code = async (method: "GET" | "PUT" | "POST", path: string, body?: string | Buffer): Promise<number> =>
    (await home.ask(id, { method, path, ...(body === undefined ? {} : { body }) })).status;
  expect(await code("PUT", "/status", "nonsense")).toBe(400);
  expect(await code("PUT", "/status", '{"label":5}')).toBe(400);
  expect(await code("PUT", "/status", Buffer.alloc(5000, 0x20))).toBe(413);
  expect(await code("PUT", "/slug", "")).toBe(400);
  expect(await code("PUT", "/slug", "../etc")).toBe(400);
  expect(await code("PUT", "/slug", "fix-auth-bug")).toBe(204);
  expect(await code("GET", "/kill")).toBe(405);
  expect(await code("GET", "/nothing")).toBe(404);
  expect(await code("GET", "/text?pty=pty-9")).toBe(404);
  expect(await code("GET", "/text?lines=-1")).toBe(400);
  // No more than one byte too many: the runner hangs up after its answer, which a client that still writes may not see.
  expect(await code("POST", "/input", Buffer.alloc(16 * 1024 * 1024 + 1))).toBe(413);
  expect(await home.meta(id)).toMatchObject({ slug: "fix-auth-bug", alive: true });
});

test("input with an id is typed once, however often it is sent", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  for (let at = 0; at < 3; at++) {
    const headers = { "x-amux-input-id": "request-1" };
    expect((await home.ask(id, { method: "POST", path: "/input", body: "once\r", headers })).status).toBe(204);
  }
  await home.ask(id, { method: "POST", path: "/input", body: "end\r" });
  // Echoed by the terminal, then printed by cat.
  await home.waitForText(id, /end\s+(?:once\s+)?end/);
  expect((await home.text(id)).match(/once/g)).toHaveLength(2);
});

test("kill answers when the program is gone, even one that ignores SIGHUP", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap '' HUP; echo armed; while :; do sleep 0.1; done");
  await home.waitForText(id, "armed");
  const { pid } = await home.meta(id);
  expect((await home.ask(id, { method: "POST", path: "/kill" })).status).toBe(204);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("events begin with the state, then every change, and end with the exit", async () => {
  const home = new TestHome();
  const id = await home.spawn(`read x; printf '\\033]2;a title\\007\\033]9;look here\\007'; read y; exit 5`);
  const { socket } = home.client.files(id);
  let received = "";
  const ended = new Promise<void>((resolve) => {
    request({ socketPath: socket, path: "/events" }, (response) => {
      response.on("data", (chunk: Buffer) => (received += chunk.toString()));
      response.once("end", resolve);
    }).end();
  });
  await waitFor("the first events", () => received.includes("event: status"));
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("the notification", () => received.includes("look here"));
  await home.ask(id, { method: "PUT", path: "/status", body: '{"label":"busy","working":true}' });
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await ended;
  const events = [...received.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, name, data]) => [
    name,
    JSON.parse(data ?? ""),
  ]);
  expect(events[0]).toEqual(["meta", expect.objectContaining({ unread: false })]);
  expect(events).toContainEqual(["meta", expect.objectContaining({ title: "a title", shell_title: "a title" })]);
  expect(events).toContainEqual(["notification", { title: "", body: "look here" }]);
  expect(events).toContainEqual(["status", { label: "busy", working: true }]);
  const exited_at = expect.stringMatching(/^\d{4}-.+Z$/) as string;
  expect(events).toContainEqual(["exit", { exit_code: 5, exited_at }]);
});

const NEWEST = '"title":"the newest"';

test("a subscriber that never reads is disconnected, and finds the newest state and the exit when it returns", async () => {
  const home = new TestHome();
  // Each is an event of 200 characters: four times what is buffered for a slow reader.
  const flood = `i=0; while [ $i -lt 5000 ]; do printf '\\033]9;%0200d\\007' $i; i=$((i+1)); done`;
  const id = await home.spawn(`read x; ${flood}; printf '\\033]2;the newest\\007'; read y; exit 5`);
  const { socket } = home.client.files(id);
  const subscribe = (act: (response: IncomingMessage) => void): void => {
    request({ socketPath: socket, path: "/events" }, act)
      .on("error", () => undefined)
      .end();
  };
  const stuck = await new Promise<IncomingMessage>(subscribe);
  stuck.pause().on("error", () => undefined);
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("the title", async () => (await home.meta(id)).title === "the newest");
  let late = "";
  stuck.on("data", (chunk: Buffer) => (late += chunk.toString()));
  await new Promise((resolve) => stuck.once("close", resolve).resume());
  expect(late.includes(NEWEST), "it was not kept for it").toBe(false);
  let again = "";
  subscribe((response) => response.on("data", (chunk: Buffer) => (again += chunk.toString())));
  await waitFor("the state", () => again.includes(NEWEST));
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("the exit", () => again.includes('event: exit\ndata: {"exit_code":5,'));
});

test("unread is set by unseen events, cleared by viewing, and not by a late reader", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  await home.ask(id, { method: "PUT", path: "/status", body: '{"working":true}' });
  await home.ask(id, { method: "PUT", path: "/status", body: "null" });
  const { unread, unread_token } = await home.meta(id);
  expect(unread).toBe(true);
  expect((await home.ask(id, { method: "POST", path: `/read?token=${unread_token - 1}` })).status).toBe(409);
  expect((await home.meta(id)).unread).toBe(true);
  await home.client.connect(id).then((connection) => connection.send({ _tag: "attach", ptyId: "pty-1" }));
  await waitFor("it to be read", async () => !(await home.meta(id)).unread);
});

interface Socketed {
  ws: WebSocket;
  messages: { data: Buffer; isBinary: boolean }[];
}

async function websocket(home: TestHome, id: string, query = ""): Promise<Socketed> {
  const ws = new WebSocket(`ws+unix://${home.client.files(id).socket}:/ws${query}`);
  const messages: Socketed["messages"] = [];
  ws.on("message", (data: Buffer, isBinary) => messages.push({ data, isBinary }));
  await waitFor("the first message", () => messages.length > 0);
  return { ws, messages };
}

test("a WebSocket begins with the snapshot, carries bytes both ways, and closes when the program ends", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 30; printf '\\033[31mred\\033[m '; read line; echo got $line");
  await home.waitForText(id, "red");
  const { ws, messages } = await websocket(home, id, "?history=100");
  expect(messages[0]?.isBinary).toBe(true);
  expect(messages[0]?.data.toString()).toMatch(/^\x1bc1\r\n2\r\n3/);
  expect(messages[0]?.data.toString()).toContain("\x1b[0;31mred");
  const closed = new Promise<number>((resolve) => ws.once("close", resolve));
  ws.send("wo");
  ws.send(Buffer.from("rd\r"));
  expect(await closed).toBe(1000);
  const text = messages
    .filter((message) => message.isBinary)
    .map((message) => message.data.toString())
    .join("");
  expect(text).toContain("got word");
  const control = messages
    .filter((message) => !message.isBinary)
    .map((message) => JSON.parse(message.data.toString()) as object);
  expect(control).toEqual([
    expect.objectContaining({ type: "terminal_resize", cols: 80, rows: 24 }),
    { type: "exit", exit_code: 0 },
  ]);
});

test("a WebSocket's snapshot and stream give the screen; control is never typed", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { ws, messages } = await websocket(home, id);
  ws.send(JSON.stringify({ type: "resize", cols: 100, rows: 40 }));
  ws.send('{"type":"resize","cols":0}');
  ws.send('{"type":"nonsense"}');
  ws.send("plain {text}\r");
  await home.waitForText(id, "plain {text}");
  expect(await home.meta(id)).toMatchObject({ terminal_cols: 100, terminal_rows: 40 });
  expect(await home.text(id)).not.toContain("nonsense");
  const output = (): string =>
    Buffer.concat(messages.flatMap(({ data, isBinary }) => (isBinary ? data : []))).toString();
  // The terminal's, and then the program's: the last of it.
  await waitFor("both echoes", () => output().split("plain {text}\r\n").length === 3);
  const emulator = createEmulator(100, 40, 100);
  for (const { data, isBinary } of messages) if (isBinary) emulator.core._inputHandler.parse(data);
  const again = createEmulator(100, 40, 100);
  again.core._inputHandler.parse(Buffer.from(`\x1bc${(await home.ask(id, { path: "/snapshot" })).body.toString()}`));
  expect(terminalState(again)).toEqual(terminalState(emulator));
  ws.terminate();
});

test("a size that a WebSocket reports before its first picture counts", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 20000; exec cat");
  await home.waitForText(id, "20000");
  const ws = new WebSocket(`ws+unix://${home.client.files(id).socket}:/ws?history=100000`);
  onTestFinished(() => ws.terminate());
  ws.once("open", () => {
    ws.send(JSON.stringify({ type: "resize", cols: 101, rows: 41 }));
    ws.send(JSON.stringify({ type: "focus" }));
  });
  await waitFor("its size", async () => (await home.meta(id)).terminal_cols === 101);
});

test("no compression is agreed on, whatever a client offers", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 200; exec cat");
  await home.waitForText(id, "200");
  const ws = new WebSocket(`ws+unix://${home.client.files(id).socket}:/ws`, {
    perMessageDeflate: { clientMaxWindowBits: 15, threshold: 0 },
  });
  const received: Buffer[] = [];
  ws.on("message", (data: Buffer) => received.push(data));
  const opened = once(ws, "open");
  const [upgraded] = (await once(ws, "upgrade")) as [IncomingMessage];
  expect(upgraded.headers["sec-websocket-extensions"]).toBeUndefined();
  await opened;
  ws.send("after it\r");
  await waitFor("the echo", () => Buffer.concat(received).includes("after it"));
  expect(Buffer.concat(received).toString()).toContain("199\r\n200");
  ws.terminate();
});

test("a WebSocket whose peer vanished is closed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const path = join(mkdtempSync(join(tmpdir(), "amux-ws-")), "socket");
  const server = createServer().listen(path);
  try {
    await once(server, "listening");
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const client = connect(path);
    const [socket] = await accepted;
    const connection = new WebSocketConnection(socket);
    let closed = false;
    const nothing = (): void => undefined;
    connection.start(
      { onText: nothing, onBinary: nothing, onDrain: nothing, onClose: () => (closed = true) },
      Buffer.alloc(0),
    );
    const pinged = once(client, "data") as Promise<[Buffer]>;
    vi.advanceTimersByTime(15_000);
    expect((await pinged)[0]).toEqual(Buffer.from([0x89, 0x00]));
    // A pong: it is alive.
    client.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
    await once(socket, "data");
    vi.advanceTimersByTime(15_000);
    expect(closed).toBe(false);
    vi.advanceTimersByTime(15_000);
    await waitFor("it to be given up", () => closed);
    client.destroy();
  } finally {
    vi.useRealTimers();
    server.close();
    rmSync(dirname(path), { recursive: true, force: true });
  }
});

test("a snapshot of megabytes is one message", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq -f '%0200.0f' 1 9000; echo written; exec cat", { cols: 210 });
  await home.waitForText(id, "written");
  const { ws, messages } = await websocket(home, id, "?history=10000");
  expect(messages[0]?.data.length).toBeGreaterThan(1_700_000);
  expect(messages[0]?.data.toString("latin1", 0, 210)).toBe(`\x1bc${"1".padStart(200, "0")}\r\n${"0".repeat(6)}`);
  ws.terminate();
});

test("a message of megabytes and a fragmented one arrive whole", async () => {
  const home = new TestHome();
  const id = await home.spawn("stty raw -echo; echo ready; head -c 3000005 | md5sum; exec cat");
  const { ws } = await websocket(home, id);
  await home.waitForText(id, "ready");
  ws.send(Buffer.alloc(3_000_000, "x"));
  ws.send("he", { fin: false });
  ws.send("llo", { fin: true });
  const { createHash } = await import("node:crypto");
  const wanted = createHash("md5")
    .update(`${"x".repeat(3_000_000)}hello`)
    .digest("hex");
  await home.waitForText(id, wanted);
  ws.terminate();
});

test.each([
  ["an unmasked frame", [0x81, 0x01, 0x41]],
  ["reserved bits", [0xf1, 0x80, 0, 0, 0, 0]],
  ["an unknown opcode", [0x83, 0x80, 0, 0, 0, 0]],
  ["a continuation of nothing", [0x80, 0x80, 0, 0, 0, 0]],
  ["an endless message", [0x82, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
])("%s ends the WebSocket and nothing else", async (_, bytes) => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { ws } = await websocket(home, id);
  const closed = new Promise((resolve) => ws.once("close", resolve));
  ws.on("error", () => undefined);
  (ws as unknown as { _socket: { write(data: Buffer): void } })._socket.write(Buffer.from(bytes));
  await closed;
  expect((await home.meta(id)).alive).toBe(true);
});

test("a hidden browser gives up its size, and so does one that is cut off", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const cols = async (): Promise<number> => (await home.meta(id)).terminal_cols;
  const desk = await websocket(home, id, "");
  desk.ws.send(JSON.stringify({ type: "resize", cols: 120, rows: 40 }));
  await waitFor("the desk's size", async () => (await cols()) === 120);
  const phone = await websocket(home, id, "");
  phone.ws.send(JSON.stringify({ type: "resize", cols: 50, rows: 13 }));
  phone.ws.send(JSON.stringify({ type: "focus" }));
  await waitFor("the phone's size", async () => (await cols()) === 50);
  phone.ws.send(JSON.stringify({ type: "hidden" }));
  await waitFor("the desk's size again", async () => (await cols()) === 120);
  phone.ws.send(JSON.stringify({ type: "resize", cols: 51, rows: 13 }));
  phone.ws.send(JSON.stringify({ type: "focus" }));
  await waitFor("the phone's again", async () => (await cols()) === 51);
  phone.ws.terminate();
  await waitFor("the desk's for good", async () => (await cols()) === 120);
});
