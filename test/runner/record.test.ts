/** A session's files: bounded, replayable, exact. */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/screen/emulator.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";

function recordOf(home: TestHome, id: string): string {
  return join(home.client.files(id).directory, "pty-1.ansi");
}

function replay(path: string): Emulator {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(0x0a);
  const { cols, rows } = JSON.parse(bytes.toString("utf8", 0, at)) as { cols: number; rows: number };
  const emulator = createEmulator(cols, rows, 10_000);
  emulator.core._inputHandler.parse(bytes.subarray(at + 1));
  return emulator;
}

function linesOf(emulator: Emulator): string[] {
  const { active } = emulator.terminal.buffer;
  return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? "");
}

test("a session that ended can be replayed: every line, the colours and the last screen", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 500; printf '\\033[1;32mgreen\\033[m'; exit 2");
  await home.waitForEnd(id);
  const emulator = replay(recordOf(home, id));
  const lines = linesOf(emulator);
  expect(lines.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, n) => String(n + 1)));
  expect(lines).toContain("green");
});

test("a running session's record follows it: painted, appended, painted again after a resize", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo first; exec cat");
  await waitFor("the first record", () => statSync(recordOf(home, id), { throwIfNoEntry: false }));
  await home.ask(id, { method: "POST", path: "/input", body: "second\r" });
  await waitFor("the addition", () => readFileSync(recordOf(home, id), "utf8").includes("second"));
  const connection = await home.client.connect(id);
  connection.send({ _tag: "resize", ptyId: "pty-1", cols: 40, rows: 10 });
  await waitFor("the new size", async () => (await home.meta(id)).terminal_cols === 40);
  await home.ask(id, { method: "POST", path: "/input", body: "third\r" });
  // Echoed by the terminal, then printed by cat.
  await waitFor("the third", () => readFileSync(recordOf(home, id), "utf8").split("third").length > 2);
  await waitFor("the record to be the terminal", async () => {
    const original = createEmulator(40, 10, 1000);
    original.core._inputHandler.parse((await home.ask(id, { path: "/snapshot?history=1000" })).body);
    return JSON.stringify(terminalState(replay(recordOf(home, id)))) === JSON.stringify(terminalState(original));
  });
});

test("a resize loses no line, even without later output", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 700; exec cat");
  await home.waitForText(id, "700");
  const connection = await home.client.connect(id);
  connection.send({ _tag: "resize", ptyId: "pty-1", cols: 40, rows: 10 });
  await waitFor("the new size", () => readFileSync(recordOf(home, id), "utf8").startsWith('{"cols":40,'));
  const numbers = Array.from({ length: 700 }, (_, n) => String(n + 1));
  expect(linesOf(replay(recordOf(home, id))).slice(0, 700)).toEqual(numbers);
});

test("a flood does not grow the record without limit", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 700000; echo THE END; exec cat");
  await home.waitForText(id, "THE END");
  await waitFor("the record", () => statSync(recordOf(home, id), { throwIfNoEntry: false }));
  await waitFor("the last of it", () => readFileSync(recordOf(home, id), "utf8").includes("THE END"));
  await waitFor("it to be put in order", () => statSync(recordOf(home, id)).size < 2_000_000);
  await waitFor("all of the history", () => linesOf(replay(recordOf(home, id))).length > 9000);
  const lines = linesOf(replay(recordOf(home, id)));
  const end = lines.indexOf("THE END");
  expect(lines.slice(end - 5, end)).toEqual(["699996", "699997", "699998", "699999", "700000"]);
});

test("meta.json describes the session, even after its end", async () => {
  const home = new TestHome();
  const id = await home.spawn("printf '\\033]2;my title\\007'; read x; exit 3", {
    slug: "my-slug",
    kind: "shell",
  });
  await waitFor("the title", async () => (await home.meta(id)).title === "my title");
  await waitFor("the title on disk", () => home.storedMeta(id).title === "my title");
  expect(home.storedMeta(id)).toMatchObject({ alive: true, exit_code: null, slug: "my-slug" });
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  const meta = await home.waitForEnd(id);
  expect(meta).toMatchObject({ id, alive: false, exit_code: 3, title: "my title", slug: "my-slug", kind: "shell" });
  expect(meta.exited_at).toMatch(/^\d{4}-/);
});

test("a removed or rotated record starts again, complete", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo before; exec cat");
  await waitFor("the record", () => statSync(recordOf(home, id), { throwIfNoEntry: false }));
  const path = recordOf(home, id);
  rmSync(path);
  for (const word of ["after", "again"]) {
    await home.ask(id, { method: "POST", path: "/input", body: `${word}\r` });
    await waitFor(word, () => existsSync(path) && linesOf(replay(path)).includes(word));
  }
  expect(linesOf(replay(path))).toEqual(expect.arrayContaining(["before", "after", "again"]));
});
