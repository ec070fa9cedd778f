/** Keys that nobody typed: they happen beside the session, and nothing of them is left. */
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { rehearsalFiles } from "../../src/protocol/session-files.ts";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { needsLinux } from "../support/needs.ts";

/** A session that has been typed into, in the midst of its rehearsal. */
async function rehearsing(home: TestHome): Promise<{ id: string; isOver: () => boolean; pid: number; before: number }> {
  const id = await home.spawn("exec cat");
  const { runner_pid: pid } = await home.meta(id);
  const connection = await home.client.connect(id);
  connection.send({ _tag: "attach", ptyId: "pty-1" });
  await waitFor("the viewer", async () => (await home.meta(id)).viewers === 1);
  const before = descriptors(pid);
  connection.input("pty-1", Buffer.from("typed\r"));
  const { socket } = rehearsalFiles(home.client.files(id));
  await waitFor("the rehearsal", () => existsSync(socket));
  return { id, isOver: () => !existsSync(socket), pid, before };
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function leftovers(home: TestHome, id: string): string[] {
  const { directory, socket } = home.client.files(id);
  return [directory, dirname(socket)].flatMap((path) => readdirSync(path)).filter((name) => name.endsWith(".tmp"));
}

test("it is over soon, and only what was typed is on the screen", async () => {
  const home = new TestHome();
  const { id, pid, before } = await rehearsing(home);
  // Between two rounds there is nothing to be seen either.
  await waitFor("its end", () => descriptors(pid) <= before && leftovers(home, id).length === 0);
  await home.waitForText(id, "typed\ntyped");
  expect((await home.text(id)).trim()).toBe("typed\ntyped");
  expect((await home.meta(id)).ptys).toHaveLength(1);
  expect(existsSync(home.client.files(id).log)).toBe(false);
});

test("it happens also with a terminal that is lent", needsLinux, async () => {
  const home = new TestHome();
  const id = await home.spawn("echo ready; exec cat");
  const { runner_pid: pid } = await home.meta(id);
  const terminal = new CliTerminal(["attach", id], home.home);
  await terminal.sees("ready");
  const before = descriptors(pid);
  terminal.type("typed\r");
  const { record } = rehearsalFiles(home.client.files(id));
  await waitFor("the rehearsal", () => existsSync(record));
  await waitFor("its end", () => descriptors(pid) <= before && leftovers(home, id).length === 0);
  expect((await home.text(id)).trim()).toBe("ready\ntyped\ntyped");
  expect(existsSync(home.client.files(id).log)).toBe(false);
  terminal.type("\x02d");
  await terminal.ended();
});

test("a session that ends meanwhile does not wait for it, and leaves nothing of it", async () => {
  const home = new TestHome();
  const { id } = await rehearsing(home);
  await home.client.kill(id);
  await home.waitForEnd(id);
  expect(leftovers(home, id)).toEqual([]);
});

test("what a killed runner leaves of it is cleared up", async () => {
  const home = new TestHome();
  const { id, pid, isOver } = await rehearsing(home);
  process.kill(pid, "SIGKILL");
  await waitFor("the orphan to be removed", async () => (await home.client.removeOrphans()).includes(id));
  expect(isOver()).toBe(true);
  expect(leftovers(home, id)).toEqual([]);
});
