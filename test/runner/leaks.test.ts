/** A hundred attaches and detaches leave no descriptor, process, second exit or bytes behind. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

const ROUNDS = 60;

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}

test("terminals that come and go leave no descriptor and no zombie, and report their exit once", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { runner_pid } = await home.meta(id);
  const client = new RawClient(home.client.files(id).socket);
  client.send({ _tag: "hello", version: 1 });
  await client.first("hello");
  const before = descriptors(runner_pid);
  for (let at = 0; at < ROUNDS; at++) client.send({ _tag: "create", cols: 80, rows: 24, cwd: "/", command: ["true"] });
  await waitFor("all the exits", () => client.all("exit").length === ROUNDS);
  await waitFor("the descriptors to be closed", () => descriptors(runner_pid) <= before + 1);
  expect(childrenOf(runner_pid)).toHaveLength(1);
  expect(new Set(client.all("exit").map((frame) => frame.ptyId)).size).toBe(ROUNDS);
  expect((await home.meta(id)).ptys).toHaveLength(1);
});

test("viewers that come and go leave nothing behind", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { runner_pid } = await home.meta(id);
  const { socket } = home.client.files(id);
  const before = descriptors(runner_pid);
  for (let at = 0; at < ROUNDS; at++) {
    const service = new ShimPty(await openShimConnection(socket));
    const watching = new Watching(service);
    await waitFor("the snapshot", () => watching.snapshots.length > 0);
    await service.close();
  }
  await waitFor("the descriptors to be closed", () => descriptors(runner_pid) <= before + 1);
  await home.ask(id, { method: "POST", path: "/input", body: "still\r" });
  await home.waitForText(id, "still");
});

test("a storm of reconnects changes no size, wakes no program, and resends nothing", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap 'echo WINCH' WINCH; seq 1 5000; echo ready; while :; do sleep 0.05; done");
  await home.waitForText(id, "ready");
  const { socket } = home.client.files(id);
  const first = new RawClient(socket);
  first.send({ _tag: "hello", version: 1 });
  first.send({ _tag: "attach", ptyId: "pty-1" });
  const { state } = await first.first("snapshot");
  let bytes = 0;
  for (let at = 0; at < ROUNDS; at++) {
    const again = new RawClient(socket);
    again.socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
    again.send({ _tag: "hello", version: 1 });
    again.send({ _tag: "attach", ptyId: "pty-1", since: state.seq });
    again.send({ _tag: "resize", ptyId: "pty-1", cols: 80, rows: 24 });
    again.send({ _tag: "ping" });
    await again.first("pong");
    again.destroy();
  }
  expect(bytes / ROUNDS).toBeLessThan(1000);
  expect(await home.text(id)).not.toContain("WINCH");
  expect(await home.meta(id)).toMatchObject({ terminal_cols: 80, terminal_rows: 24 });
});
