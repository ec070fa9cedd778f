/** Every key of the multiplexer, with its effect on the screen. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

const SHELL = "PS1='$ ' exec sh";
const COLS = 120;

async function opened(home: TestHome, name = "one"): Promise<Tui> {
  const tui = new Tui(home.home, { cols: COLS, rows: 30 });
  await tui.shows(name);
  tui.press("/");
  tui.type(`${name}\r`);
  tui.press("enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  return tui;
}

const cursor = (tui: Tui): { x: number; y: number } => {
  const { cursorX: x, cursorY: y } = tui.emulator.terminal.buffer.active;
  return { x, y };
};
const until = (tui: Tui, what: string, isSo: (at: { x: number; y: number }) => boolean): Promise<boolean> =>
  waitFor(`the cursor ${what}`, () => isSo(cursor(tui)));

const titlesOf = (tui: Tui): number => (tui.text().match(/─ (?:one|\/bin\/\w+) ─/g) ?? []).length;

/** Both ways: directly, and after the prefix. */
const WAYS = [
  {
    way: "alt keys",
    press: (tui: Tui, key: string) => tui.press(`alt+${key}`),
    layouts: [
      ["]", "horizontal"],
      ["]", "stacked"],
      ["[", "horizontal"],
      ["[", "vertical"],
    ],
    templates: "t",
    search: ["f"],
    palette: "p",
  },
  {
    way: "the prefix",
    press: (tui: Tui, key: string) => tui.press("ctrl+b", key),
    layouts: [
      ["H", "horizontal"],
      ["t", "stacked"],
      ["v", "vertical"],
      [" ", "horizontal"],
      ["v", "vertical"],
    ],
    templates: "T",
    search: ["/", "f"],
    palette: ":",
  },
] as const;

test.each(WAYS)(
  "panes, layouts, workspaces and dialogs by $way",
  async ({ press, layouts, templates, search, palette }) => {
    const home = new TestHome();
    await home.spawn(SHELL, { name: "one" });
    const tui = await opened(home);
    await tui.shows("$");
    press(tui, "\\");
    await tui.shows("┬");
    await until(tui, "in the new pane", ({ x }) => x > 60);
    press(tui, "-");
    await tui.shows("├");
    await until(tui, "below", ({ x, y }) => x > 60 && y > 14);
    press(tui, "k");
    await until(tui, "above", ({ x, y }) => x > 60 && y < 14);
    press(tui, "h");
    await until(tui, "left", ({ x }) => x < 60);
    press(tui, "l");
    await until(tui, "right", ({ x }) => x > 60);
    press(tui, "j");
    await until(tui, "below again", ({ x, y }) => x > 60 && y > 10);
    press(tui, "z");
    await tui.shows("zoomed");
    press(tui, "z");
    await tui.hides("zoomed");
    press(tui, "m");
    await tui.shows("MOVE");
    tui.press("k");
    await until(tui, "with the pane above", ({ x, y }) => x > 60 && y < 14);
    tui.press("j", "h");
    await until(tui, "with the pane left", ({ x }) => x < 60);
    tui.press("l", "esc");
    await tui.hides("MOVE");
    await until(tui, "back", ({ x }) => x > 60);
    press(tui, "n");
    await waitFor("a fourth pane", () => titlesOf(tui) === 4);
    for (const [key, mode] of layouts) {
      press(tui, key);
      await tui.shows(mode);
    }
    for (let digit = 2; digit <= 9; digit++) {
      press(tui, String(digit));
      await tui.shows(new RegExp(` 1  ${digit} `));
      await tui.shows("This workspace is empty.");
    }
    press(tui, "1");
    await tui.hides("This workspace is empty.");
    for (const [key, title] of [
      ["s", "Sessions"],
      [templates, "Templates"],
      ["g", "of all sessions"],
      [palette, "Commands"],
      ["a", "No session needs you."],
    ] as const) {
      press(tui, key);
      await tui.shows(title);
      tui.press("esc");
      await tui.hides(title);
    }
    for (const key of search) {
      press(tui, key);
      await tui.shows("search ↑");
      tui.press("esc");
      await tui.hides("search ↑");
    }
    press(tui, "x");
    await waitFor("three panes", () => titlesOf(tui) === 3);
    press(tui, "o");
    await tui.shows(" amux ");
    tui.press("q");
    await tui.ended();
  },
);

test("every prefix command works: paste, copy mode, console, help, redraw, cancel, detach, leave", async () => {
  const home = new TestHome();
  await home.spawn(`echo copyme; ${SHELL}`, { name: "one" });
  const tui = await opened(home);
  await tui.shows("copyme");
  // What is pasted before the prompt would stand before it.
  await tui.shows("$");
  tui.press("ctrl+b", "[");
  await tui.shows("scrolled");
  tui.press("g", "V", "y");
  await waitFor("the copy", () => tui.written.includes(`\x1b]52;c;${Buffer.from("copyme").toString("base64")}\x07`));
  tui.press("ctrl+b", "]");
  await tui.shows("$ copyme");
  tui.press("ctrl+b", "p");
  await tui.shows("$ copymecopyme");
  tui.press("ctrl+b", "`");
  await tui.shows("Messages");
  await tui.shows("Copied");
  tui.press("q");
  tui.press("ctrl+b", "?");
  await tui.shows("After the prefix (ctrl+b)");
  tui.press("q");
  await tui.hides("After the prefix (ctrl+b)");
  const before = tui.written.length;
  tui.press("ctrl+b", "r");
  await waitFor("everything anew", () => tui.written.slice(before).includes("\x1b[2J"));
  tui.press("ctrl+b");
  // The chip and the keys that follow: without the prefix the bar names it too, or a notice covers it for a while.
  await tui.shows(/ ctrl\+b +d detach/);
  tui.press("esc");
  await tui.hides("d detach");
  // Arrows move the focus too; with one pane nothing happens, and nothing is typed.
  tui.press("ctrl+b", "up", "ctrl+b", "down");
  tui.press("ctrl+b", "q");
  expect(await tui.ended()).toBe(0);
  const again = await opened(home);
  await again.shows("$ copymecopyme");
  expect(await again.detach()).toBe(0);
});

test("the picker can filter, move, create, rename and end", async () => {
  const home = new TestHome();
  await home.spawn("exec cat", { name: "aaa" });
  const last = await home.spawn("exec cat", { name: "bbb" });
  const tui = await opened(home, "aaa");
  tui.press("alt+s");
  await tui.shows(/▸ aaa/);
  tui.type("bbb");
  await tui.hides("▸ aaa");
  tui.press("ctrl+r");
  await tui.shows("Rename");
  tui.type("\x15ccc\r");
  await waitFor("the name", async () => (await home.meta(last)).name === "ccc");
  tui.type("\x15");
  await tui.shows("ccc");
  tui.press("down", "up", "down");
  for (const key of ["ctrl+x", "ctrl+d"]) {
    tui.press(key);
    await tui.shows(/End (aaa|ccc)\?/);
    tui.press("esc");
    await tui.hides("End ");
  }
  tui.type("ccc");
  await waitFor("one row", () => !tui.text().includes("▸ aaa"));
  tui.press("ctrl+x");
  await tui.shows("End ccc?");
  tui.press("y");
  await home.waitForEnd(last);
  tui.press("ctrl+n");
  await tui.shows("Start a session");
  tui.type("cat\r");
  await tui.shows("Directory for: cat");
  tui.press("enter");
  await waitFor("another session", async () => (await home.client.list()).length === 2);
  await tui.hides("Directory for:");
  await tui.detach();
});

test("all terminals: arrows, scope, search, ending one of several, closing", async () => {
  const home = new TestHome();
  await home.spawn("seq 1 300; echo alpha; exec cat", { name: "aaa" });
  const other = await home.spawn("echo beta; exec cat", { name: "bbb" });
  const tui = await opened(home, "aaa");
  await tui.shows("alpha");
  tui.press("alt+g");
  await tui.shows("2 of all sessions");
  tui.press("alt+a");
  await tui.shows("1 of this session");
  tui.press("alt+f");
  await tui.shows("search ↑");
  tui.type("277");
  await tui.shows("1/1");
  tui.press("enter", "esc");
  await tui.hides("1/1");
  tui.press("alt+esc");
  await tui.shows("type into it");
  tui.press("alt+a");
  await tui.shows("2 of all sessions");
  tui.type("bbb nothing");
  await tui.shows("1 of all sessions");
  tui.press("alt+x");
  await tui.shows("End bbb?");
  tui.press("y");
  await home.waitForEnd(other);
  tui.press("esc");
  await tui.shows("1 of all sessions");
  tui.press("down", "up", "alt+esc");
  await tui.hides("of all sessions");
  await tui.detach();
});

test("keys of every kind of view are rebound in tui.json, and hints show the new ones", async () => {
  const home = new TestHome();
  await home.spawn("seq 1 100; exec cat", { name: "one" });
  const keys = {
    dashboard: { f1: "metrics", i: null, f2: "attention", f3: "tasks", f4: "projects", f5: "quit", f6: "filter" },
    text: { f8: "close", q: null },
    attention: { f8: "close", esc: null },
    projects: { f8: "close", q: null, esc: null, P: null },
    picker: { f8: "cancel" },
    prompt: { f8: "accept" },
    direct: { f9: "palette", f10: "copy-mode", f11: "dashboard" },
    copy: { f8: "cancel", esc: null },
    aggregate: { f8: "cancel" },
  };
  writeFileSync(join(home.home, "tui.json"), JSON.stringify({ prefix: "ctrl+q", keys }));
  const tui = new Tui(home.home, { cols: COLS, rows: 30 });
  await tui.shows("one");
  for (const [key, wanted] of [
    ["f1", "All sessions"],
    ["f2", "No session needs you."],
    ["f4", "the last day"],
    ["f9", "Commands"],
  ] as const) {
    tui.press(key);
    await tui.shows(wanted);
    if (key !== "f9") await tui.shows("f8 close");
    tui.press("f8");
    await tui.hides(wanted);
  }
  tui.press("f3");
  await tui.shows("No task provider is configured");
  tui.press("f6");
  tui.type("one");
  tui.press("f8", "enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  tui.press("f10");
  await tui.shows("scrolled");
  tui.press("f8");
  await tui.hides("scrolled");
  tui.press("alt+g");
  await tui.shows("1 of all sessions");
  tui.press("f8");
  await tui.hides("of all sessions");
  tui.type("\x11o");
  await tui.shows(" amux ");
  tui.press("f5");
  expect(await tui.ended()).toBe(0);
});
