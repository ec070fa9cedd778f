/** Flicker: frames that are empty, incomplete, or of another session. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEmulator } from "../../src/screen/emulator.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { completeLines } from "../support/complete-lines.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

const FRAME_ENDS = "\x1b[?2026l";

/** The texts of all frames since `from`, as a terminal shows them that draws whole frames. */
function framesSince(tui: Tui, from: number, { cols, rows } = { cols: 120, rows: 30 }): string[] {
  const { core, terminal } = createEmulator(cols, rows, 0);
  const parse = (text: string): unknown => core._inputHandler.parse(Buffer.from(text, "latin1"));
  parse(tui.written.slice(0, from));
  return tui.written
    .slice(from)
    .split(FRAME_ENDS)
    .slice(0, -1)
    .map((frame) => {
      parse(frame + FRAME_ENDS);
      const { active } = terminal.buffer;
      return Array.from({ length: rows }, (_, y) => active.getLine(y)?.translateToString(true) ?? "").join("\n");
    });
}

/** Offset of the next frame. */
function frameStart(tui: Tui): number {
  return tui.written.lastIndexOf(FRAME_ENDS) + FRAME_ENDS.length;
}

async function choose(tui: Tui, name: string, key: string): Promise<void> {
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type(`${name}${key}`);
  await waitFor("the session to be open", () => !/Sessions| amux /.test(tui.text()));
}

test("switching between sessions never shows an empty screen", async () => {
  const home = new TestHome();
  // On all lines: something of a session shows, whatever the list covers.
  for (const name of ["aaa", "bbb"]) {
    const id = await home.spawn(`yes ${name}-here | head -60; echo ${name}-here-last; exec cat`, { name });
    // Until then, its screen is rightly empty.
    await home.waitForText(id, `${name}-here-last`);
  }
  const tui = new Tui(home.home);
  await tui.shows("bbb");
  await choose(tui, "aaa", "\r");
  await tui.shows("aaa-here");
  const from = frameStart(tui);
  for (const name of ["bbb", "aaa", "bbb"]) {
    await choose(tui, name, "\r");
    await tui.shows(`${name}-here`);
  }
  const frames = framesSince(tui, from);
  expect(frames.length).toBeGreaterThan(6);
  // A runner that is late for once says so.
  expect(frames.filter((frame) => !/(aaa|bbb)-here|Waiting for the first screen/.test(frame))).toEqual([]);
  await tui.detach();
});

test("scrolling back stays in place, whatever the program or the terminal does", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 500; while read line; do printf '\\033]2;%s\\007' \"$line\"; done", {
    name: "one",
  });
  const tui = new Tui(home.home);
  await tui.shows("one");
  await choose(tui, "one", "\r");
  await tui.shows("500");
  tui.type("\x1b[<64;5;5M".repeat(20));
  await tui.shows("scrolled");
  const top = (): string => tui.screen()[0]?.trim().split(/\s/)[0] ?? "";
  const before = "413";
  await waitFor("60 lines further up", () => top() === before);
  const from = frameStart(tui);
  for (const title of ["first title", "second title"]) {
    await home.ask(id, { method: "POST", path: "/input", body: `${title}\r` });
    await waitFor("the title", async () => (await home.meta(id)).shell_title === title);
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  }
  // A frame after everything that was reported.
  tui.press("k");
  await waitFor("a frame", () => frameStart(tui) > from);
  expect(framesSince(tui, from).filter((frame) => !frame.startsWith(before))).toEqual([]);
  for (const [cols, rows] of [
    [90, 24],
    [120, 30],
  ] as const) {
    tui.resize(cols, rows);
    await waitFor("the new size", async () => (await home.meta(id)).terminal_cols === cols);
    await tui.shows("scrolled");
    await waitFor("the same place", () => top() === before);
  }
  tui.press("esc");
  await tui.hides("scrolled");
  await tui.detach();
});

test("a hidden pane keeps its size, and has the right one when it is shown again", async () => {
  const home = new TestHome();
  const log = join(home.home, "sizes");
  await home.spawn("echo main; exec cat", { name: "one" });
  const other = await home.spawn(
    `trap 'stty size >> ${log}' WINCH; stty size >> ${log}; echo beside; sleep 600 & while :; do wait; done`,
    { name: "two" },
  );
  const sizes = (): string[] => [...new Set(completeLines(log))];
  const tui = new Tui(home.home);
  await tui.shows("two");
  await choose(tui, "one", "\r");
  await tui.shows("main");
  await choose(tui, "two", "\t");
  await tui.shows("beside");
  const size = async (): Promise<[number, number]> => {
    const { terminal_cols, terminal_rows } = await home.meta(other);
    return [terminal_cols, terminal_rows];
  };
  await waitFor("half the width", async () => (await size())[0] === 59);
  const seen = await size();
  await waitFor("the program to know", () => sizes().at(-1) === `${seen[1]} ${seen[0]}`);
  const known = sizes();
  // The first pane alone, in a terminal that changes size.
  tui.press("alt+h", "alt+z");
  await tui.hides("beside");
  tui.resize(80, 20);
  await tui.shows("main");
  tui.resize(100, 26);
  await waitFor("the zoomed one", async () => {
    const first = (await home.client.list()).find((id) => id !== other) ?? "";
    return (await home.meta(first)).terminal_cols === 100;
  });
  expect(await size()).toEqual(seen);
  expect(sizes(), "nobody told it anything").toEqual(known);
  tui.press("alt+z");
  await tui.shows("beside");
  await waitFor("its size", async () => (await size())[0] === 49);
  await waitFor("the program to know", () => sizes().at(-1)?.endsWith(" 49") === true);
  expect(sizes(), "and told it once").toHaveLength(known.length + 1);
  await tui.detach();
});

test("a session that does not answer keeps its place in a restored layout", async () => {
  const home = new TestHome();
  const one = await home.spawn("echo main; exec cat", { name: "one" });
  const other = await home.spawn("echo beside; exec cat", { name: "two" });
  const file = join(home.home, "layouts", `${one}.json`);
  const open = async (): Promise<Tui> => {
    const tui = new Tui(home.home);
    await tui.shows("one");
    await choose(tui, "one", "\r");
    await tui.shows("main");
    return tui;
  };
  const first = await open();
  await choose(first, "two", "\t");
  await first.shows("beside");
  await first.detach();
  const saved = JSON.parse(readFileSync(file, "utf8")) as object;
  expect(JSON.stringify(saved)).toContain(other);
  const { runner_pid } = await home.meta(other);
  process.kill(runner_pid, "SIGSTOP");
  try {
    const second = await open();
    await second.detach();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(saved);
  } finally {
    process.kill(runner_pid, "SIGCONT");
  }
  const third = await open();
  await third.shows("beside");
  await third.detach();
});
