/** Panes of real sessions: layouts, keys, switching, detaching, failures. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEmulator } from "../../src/screen/emulator.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { terminalState } from "../runner/support/terminal-state.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { waitFor } from "../support/wait-for.ts";
import { cellsOf, Tui } from "./support/tui.ts";

const SHELL = "PS1='$ ' exec sh";

async function opened(home: TestHome, size?: { cols: number; rows: number }): Promise<Tui> {
  const tui = new Tui(home.home, size);
  await tui.shows("shell");
  tui.press("enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  return tui;
}

test("splits, layouts, zoom, focus, move mode and workspaces work", async () => {
  const home = new TestHome();
  await home.spawn(`echo first; ${SHELL}`, { name: "one" });
  const tui = await opened(home);
  await tui.shows("first");
  tui.press("alt+\\");
  await tui.shows(/─ one ─.*┬─ /);
  tui.type("echo right$((1+1))\r");
  await tui.shows("right2");
  tui.press("alt+-");
  await tui.shows("├");
  tui.type("echo below$((1+2))\r");
  await tui.shows("below3");
  tui.press("alt+k");
  tui.type("echo again$((2+2))\r");
  await tui.shows("again4");
  expect(tui.screen().findIndex((line) => line.includes("again4"))).toBeLessThan(
    tui.screen().findIndex((line) => line.includes("below3")),
  );
  tui.press("alt+z");
  await tui.hides("below3");
  await tui.shows("zoomed");
  tui.press("alt+z");
  await tui.shows("below3");
  // The pane that was right is left after the move.
  const column = (text: string): number => Math.max(...tui.screen().map((line) => line.indexOf(text)));
  await waitFor("both panes as before", () => column("first") >= 0 && column("again4") > column("first"));
  tui.press("alt+m");
  await tui.shows("MOVE");
  tui.press("h", "enter");
  await waitFor("the panes to change places", () => column("again4") >= 0 && column("again4") < column("first"));
  await tui.hides("MOVE");
  tui.press("alt+n");
  // Before the workspace changes: the terminal opens in the one that is shown then.
  await waitFor("a fourth pane", () => (tui.text().match(/─ (?:one|\/bin\/\w+) ─/g) ?? []).length === 4);
  for (const [key, mode] of [
    ["shift-t", "stacked"],
    ["H", "horizontal"],
    ["v", "vertical"],
  ] as const) {
    tui.press("ctrl+b", key === "shift-t" ? "t" : key);
    await tui.shows(mode);
  }
  tui.press("alt+]");
  await tui.shows("horizontal");
  tui.press("alt+2");
  await tui.shows("This workspace is empty.");
  tui.press("alt+n");
  await tui.hides("This workspace is empty.");
  tui.type("echo two$((3+3))\r");
  await tui.shows("two6");
  tui.press("alt+1");
  // Not the last line of output: bash may clear it when it redraws its prompt after a resize.
  await tui.shows("right2");
  tui.press("alt+2");
  await tui.shows("two6");
  tui.press("alt+x");
  await tui.shows("This workspace is empty.");
  expect(await tui.detach()).toBe(0);
});

test("detaching leaves everything running, and returning restores it", async () => {
  const home = new TestHome();
  const id = await home.spawn(`echo first; ${SHELL}`, { name: "one" });
  const tui = await opened(home);
  tui.press("alt+\\");
  await tui.shows(/┬/);
  tui.type("echo still$((1+1))\r");
  await tui.shows("still2");
  const before = await home.meta(id);
  expect(await tui.detach()).toBe(0);
  // An empty layout must not replace the saved one.
  const file = join(home.home, "layouts", `${id}.json`);
  const saved = readFileSync(file, "utf8");
  const again = await opened(home);
  await again.shows("still2");
  await again.shows(/─ one ─.*┬─ /);
  process.kill(again.pty.pid, "SIGHUP");
  await again.ended();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(saved));
  const after = await home.meta(id);
  expect(after.ptys.map(({ pid }) => pid)).toEqual(before.ptys.map(({ pid }) => pid));
});

test("a layout file that is damaged or names missing sessions is no obstacle", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo here; exec cat", { name: "one" });
  const tui = await opened(home);
  await tui.shows("here");
  await tui.detach();
  const file = join(home.home, "layouts", `${id}.json`);
  const gone = { kind: "pane", pane: "sess-zzzzzzzz/pty-1" };
  for (const content of [
    "{",
    "[]",
    JSON.stringify({ active: 3, workspaces: [{ main: gone, stack: [gone, { kind: "pane", pane: `${id}/pty-9` }] }] }),
  ]) {
    writeFileSync(file, content);
    const again = await opened(home);
    await again.shows("here");
    await again.detach();
  }
  expect(existsSync(file)).toBe(true);
});

test("switching sessions shows the other one, leaves both running and holds no connection to the first", async () => {
  const home = new TestHome();
  await home.spawn("echo alpha; exec cat", { name: "aaa" });
  await home.spawn("echo beta; exec cat", { name: "bbb" });
  const tui = new Tui(home.home);
  await tui.shows("bbb");
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type("aaa\r");
  await tui.shows("alpha");
  await tui.hides("Sessions");
  for (let turn = 0; turn < 5; turn++) {
    const [name, text, other] = turn % 2 === 0 ? ["bbb", "beta", "alpha"] : ["aaa", "alpha", "beta"];
    tui.press("alt+s");
    await tui.shows("Sessions");
    tui.type(`${name}\r`);
    await tui.shows(text!);
    await tui.hides(other!);
  }
  // Beside the open one: two sessions on one screen.
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type("aaa\t");
  await tui.shows("alpha");
  await tui.shows("beta");
  expect(await home.client.list()).toHaveLength(2);
  await tui.detach();
});

test("a session killed while it is shown says so and keeps its last screen", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo last words; exec cat", { name: "one" });
  const tui = await opened(home);
  await tui.shows("last words");
  process.kill((await home.meta(id)).runner_pid, "SIGKILL");
  await tui.shows("connection lost");
  await tui.shows("last words");
  tui.press("enter");
  await tui.shows(" amux ");
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("a program that ends shows its exit code, and r starts it again", async () => {
  const home = new TestHome();
  await home.spawn("echo run; read line; exit 7", { name: "one" });
  const tui = await opened(home);
  await tui.shows("run");
  tui.press("enter");
  await tui.shows("exited (7)");
  tui.press("r");
  await tui.hides("exited (7)");
  await tui.shows("run");
  await tui.detach();
});

const PICTURE = [
  "\\033[31mred\\033[m \\033[1;4mbold under\\033[m \\033[38;2;10;200;30mtrue\\033[48;5;33mback\\033[m",
  "wide 日本語 한글 emoji \\360\\237\\221\\251\\342\\200\\215\\360\\237\\221\\251\\342\\200\\215\\360\\237\\221\\247 flag \\360\\237\\207\\251\\360\\237\\207\\252 combining e\\314\\201 a\\314\\212",
  "\\033[7minverse\\033[m \\033[2mdim\\033[m \\033[3mitalic\\033[m \\033[9mstruck\\033[m \\033[4:3mcurly\\033[m",
  "┌──┬──┐│░▒▓█⠋✓✗●",
].join("\\r\\n");

test("a program looks the same in a pane as alone, cell by cell", async () => {
  const home = new TestHome();
  const [cols, rows] = [100, 29];
  const script = `stty -echo; printf '${PICTURE}\\r\\n'; seq 1 200 | head -${rows - 8}; printf '\\033[5;60Hplaced\\033[44mblue\\033[K\\033[m'; exec sleep 1000`;
  await home.spawn(script, { name: "picture", cols, rows });
  const bare = createEmulator(cols, rows, 0);
  const id = (await home.client.list())[0]!;
  await home.waitForText(id, "placedblue");
  const { body } = await home.ask(id, { path: "/snapshot" });
  bare.core._inputHandler.parse(body);
  const tui = await opened(home, { cols, rows: rows + 1 });
  await tui.shows("placedblue");
  await waitFor("the same cells", () => {
    const same =
      JSON.stringify(cellsOf(tui.emulator, 0, 0, cols, rows)) === JSON.stringify(cellsOf(bare, 0, 0, cols, rows));
    return same ? true : undefined;
  });
  await tui.detach();
});

test("the terminal is restored, however the interface ends", async () => {
  const home = new TestHome();
  await home.spawn("printf '\\033[?1003h\\033[?1049h\\033[?25linside'; exec cat", { name: "one" });
  const untouched = new CliTerminal(["--version"], home.home);
  await untouched.ended();
  const wanted = terminalState(untouched.emulator) as Record<string, unknown>;
  for (const leave of ["detach", "SIGTERM", "SIGHUP"] as const) {
    const tui = await opened(home);
    await tui.shows("inside");
    if (leave === "detach") tui.press("ctrl+b", "d");
    else process.kill(tui.pty.pid, leave);
    await tui.ended();
    const after = terminalState(tui.emulator) as Record<string, unknown>;
    for (const field of ["alternate", "modes", "mouseEncoding", "cursorHidden"])
      expect(after[field], `${leave} ${field}`).toEqual(wanted[field]);
    expect(tui.written).toContain("\x1b[<u");
  }
});

test("a storm of sizes ends in the right one, from 40x10 to 500x150", async () => {
  const home = new TestHome();
  await home.spawn("trap 'stty size' WINCH; echo ready; sleep 600 & while :; do wait; done", { name: "one" });
  const tui = await opened(home);
  await tui.shows("ready");
  for (let turn = 0; turn < 40; turn++) tui.resize(60 + turn, 15 + (turn % 10));
  for (const [cols, rows] of [
    [500, 150],
    [40, 10],
    [90, 20],
  ] as const) {
    tui.resize(cols, rows);
    await tui.shows(`${rows - 1} ${cols}`);
  }
  await tui.detach();
});
