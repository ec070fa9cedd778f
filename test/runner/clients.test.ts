/** Many clients of one session: what each gets, whose size counts, and that none can harm another. */
import { expect, test } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

async function viewer(home: TestHome, id: string, since?: number): Promise<Watching> {
  return new Watching(new ShimPty(await openShimConnection(home.client.files(id).socket)), "pty-1", since);
}

test("a client that knows only the published messages gets a snapshot without asking, then output and exit", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 40; read line; echo got $line; exit 4");
  await home.waitForText(id, "40");
  const client = new RawClient(home.client.files(id).socket);
  const { state, scrollback } = await client.first("snapshot");
  expect(scrollback.slice(0, 3)).toEqual(["1", "2", "3"]);
  expect(state).toMatchObject({ cols: 80, rows: 24, alternate: false });
  client.send({ _tag: "input", ptyId: "pty-1", data: "word\r" });
  expect(await client.first("exit")).toMatchObject({ ptyId: "pty-1", exitCode: 4 });
  expect(client.text()).toContain("got word");
  await client.ended();
  // No frames that it cannot know.
  expect(new Set(client.frames.map((frame) => frame._tag))).toEqual(new Set(["snapshot", "output", "exit"]));
});

test("a history larger than a frame is cut for a client that cannot request it in pieces", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq -f %0480g 1 12000; echo ready; exec cat", { cols: 600, rows: 24 });
  await home.waitForText(id, "ready");
  const client = new RawClient(home.client.files(id).socket);
  const { state, scrollback } = await client.first("snapshot");
  const bytes = scrollback.reduce((sum, line) => sum + line.length, 0);
  expect(bytes).toBeGreaterThan(3 * 1024 * 1024);
  expect(bytes).toBeLessThan(4 * 1024 * 1024);
  // The newest lines, up to the screen.
  expect(Number(scrollback.at(-1)?.replaceAll(/\u001b\[[^m]*m/g, ""))).toBe(12_000 - 22);
  expect(state.screen).toContain("ready");
  expect(client.closed).toBe(false);
  client.destroy();
});

test("a client that sends at once is not kept waiting", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const client = new RawClient(home.client.files(id).socket);
  client.send({ _tag: "resize", ptyId: "pty-1", cols: 90, rows: 30 });
  await client.first("snapshot");
  client.send({ _tag: "create", cols: 80, rows: 24, cwd: "/" });
  expect(await client.first("created")).toMatchObject({ ptyId: "pty-2", cwd: "/" });
  client.send({ _tag: "destroy", ptyId: "pty-2" });
  expect(await client.first("exit")).toMatchObject({ ptyId: "pty-2" });
  expect((await home.meta(id)).terminal_cols).toBe(90);
});

test("frames may arrive byte by byte", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const client = new RawClient(home.client.files(id).socket);
  client.socket.setNoDelay(true);
  const hello = Buffer.from('{"_tag":"hello","version":1}');
  for (const byte of [0, 0, 0, hello.length, ...hello]) {
    client.sendBytes(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await client.first("hello")).toMatchObject({ sessionId: id, ptys: [{ ptyId: "pty-1" }] });
});

test("the size follows the last typist; when it leaves, the previous one", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done");
  const hasWidth = (cols: number): Promise<boolean> =>
    waitFor(`a width of ${cols}`, async () => (await home.meta(id)).terminal_cols === cols);
  const [first, second] = [await viewer(home, id), await viewer(home, id)];
  await Promise.all([first.sees("ready"), second.sees("ready")]);
  first.watch.resize(100, 30);
  await first.sees("30 100");
  second.watch.resize(60, 20);
  second.watch.resize(61, 21);
  second.watch.write("x");
  await second.sees("21 61");
  await waitFor("the first viewer to follow", () => first.sizes.at(-1)?.[0] === 61);
  expect(first.sizes, "only once it had typed").not.toContainEqual([60, 20]);
  first.watch.write("\x1b[O");
  await first.sees("^[[O");
  expect((await home.meta(id)).terminal_cols).toBe(61);
  first.watch.focus();
  await hasWidth(100);
  first.watch.stop();
  await hasWidth(61);
  second.watch.stop();
  await waitFor("nobody to look", async () => (await home.meta(id)).viewers === 0);
  expect((await home.meta(id)).terminal_cols, "nobody is there to take over").toBe(61);
});

test("an equal size wakes no program", async () => {
  const home = new TestHome();
  const id = await home.spawn("n=0; trap 'n=$((n+1)); echo winch $n' WINCH; echo ready; while :; do sleep 0.05; done");
  const watching = await viewer(home, id);
  await watching.sees("ready");
  for (let at = 0; at < 5; at++) watching.watch.resize(80, 24);
  watching.watch.resize(81, 24);
  await watching.sees("winch 1");
  expect(watching.screen().join("\n")).not.toContain("winch 2");
});

test("a viewer that does not read is skipped, and gets a fresh snapshot when it reads again", async () => {
  const home = new TestHome();
  const script = "seq 1 400000; echo THE END; exec cat";
  const id = await home.spawn(`read go; ${script}`);
  const slow = await viewer(home, id);
  const fast = await viewer(home, id);
  await waitFor("both to be there", () => slow.snapshots.length > 0 && fast.snapshots.length > 0);
  const { socket } = (slow.watch as unknown as { connection: { socket: { pause(): void; resume(): void } } })
    .connection;
  socket.pause();
  fast.watch.write("\r");
  await waitFor("the fast viewer to see the end", () => fast.screen().some((line) => line.includes("THE END")));
  socket.resume();
  await slow.sees("THE END");
  expect(slow.snapshots.length).toBeGreaterThan(1);
  const bytes = slow.output.reduce((sum, piece) => sum + piece.length, 0);
  expect(bytes).toBeLessThan(2_000_000);
  await waitFor("the same position", () => slow.seq === fast.seq);
  expect(terminalState(slow.emulator as never)).toEqual(terminalState(fast.emulator as never));
});

test("a viewer killed in the middle of a flood disturbs nobody", async () => {
  const home = new TestHome();
  const id = await home.spawn("read go; seq 1 200000; echo THE END; exec cat");
  const watching = await viewer(home, id);
  await waitFor("the snapshot", () => watching.snapshots.length > 0);
  const victims = Array.from({ length: 5 }, () => new RawClient(home.client.files(id).socket));
  for (const victim of victims) victim.send({ _tag: "attach", ptyId: "pty-1" });
  watching.watch.write("\r");
  for (const victim of victims) victim.destroy();
  await waitFor("the end", () => watching.screen().some((line) => line.includes("THE END")));
});

test("old clients do not steal a session back, and closing one closes only that one", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const [first, second] = [new RawClient(home.client.files(id).socket), new RawClient(home.client.files(id).socket)];
  for (const client of [first, second]) client.send({ _tag: "hello", version: 1 });
  await Promise.all([first.first("hello"), second.first("hello")]);
  second.send({ _tag: "attach", ptyId: "pty-1" });
  await second.first("snapshot");
  first.destroy();
  await first.ended();
  second.send({ _tag: "input", ptyId: "pty-1", data: "still here\r" });
  await waitFor("the echo", () => second.text().includes("still here"));
  expect(second.closed).toBe(false);
  expect(await home.client.list()).toEqual([id]);
});

test("input meant for one process never reaches its successor", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { incarnation } = await home.meta(id);
  await home.client.kill(id);
  await home.waitForEnd(id);
  await home.spawn("exec cat", { id });
  const { socket } = home.client.files(id);
  await expect(openShimConnection(socket, { incarnation })).rejects.toThrow("The session runs in another process now.");
  const headers = { "x-amux-incarnation": incarnation };
  const answer = await home.ask(id, { method: "POST", path: "/input", body: "late\r", headers });
  expect(answer.status).toBe(409);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: "incarnation_mismatch" } });
  expect(await home.text(id)).toBe("");
});

test("pending requests are refused when the connection ends", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const connection = await openShimConnection(home.client.files(id).socket);
  const { runner_pid } = await home.meta(id);
  process.kill(runner_pid, "SIGSTOP");
  const waiting = connection.create({ cols: 80, rows: 24, cwd: "/" });
  process.kill(runner_pid, "SIGKILL");
  await expect(waiting).rejects.toThrow("The session is not running.");
  await home.client.removeOrphans();
});

test("leaving, ending, being killed and being cut off are distinguished", async () => {
  const home = new TestHome();
  const reasonOf = async (id: string, act: () => unknown): Promise<string> => {
    const connection = await openShimConnection(home.client.files(id).socket);
    const closed = new Promise<string>((resolve) => {
      connection.subscribe((event) => event._tag === "closed" && resolve(event.reason));
    });
    await act();
    const reason = await closed;
    connection.close();
    return reason;
  };
  const ending = await home.spawn("read x");
  expect(await reasonOf(ending, () => home.ask(ending, { method: "POST", path: "/input", body: "\r" }))).toBe("ended");
  const killed = await home.spawn("exec cat");
  expect(await reasonOf(killed, () => home.client.kill(killed))).toBe("killed");
  const lost = await home.spawn("exec cat");
  const { runner_pid } = await home.meta(lost);
  expect(await reasonOf(lost, () => process.kill(runner_pid, "SIGKILL"))).toBe("lost");
  await home.client.removeOrphans();
});

test("only keys in an attached terminal count as typed, not sent input nor a window that loses the focus", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo ready; exec cat");
  const watching = await viewer(home, id);
  await watching.sees("ready");
  await home.ask(id, { method: "POST", path: "/input", body: "sent\r" });
  await watching.sees("sent");
  watching.watch.write("\x1b[O");
  await watching.sees("^[[O");
  expect(await home.meta(id)).toMatchObject({ last_input_at: expect.any(String) as string });
  expect(await home.meta(id)).not.toHaveProperty("last_typed_at");
  watching.watch.write("x");
  await waitFor("the key", async () => (await home.meta(id)).last_typed_at);
});
