/** The user's terminal: what it can show, and its state after the interface ends or is closed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { startTmux } from "../status/support/tmux.ts";
import { Tui } from "./support/tui.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");

async function opened(home: TestHome, vars: Record<string, string> = {}): Promise<Tui> {
  const tui = new Tui(home.home, undefined, vars);
  await tui.shows("one");
  tui.press("enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  return tui;
}

const RED_GREEN_BLUE = "printf '\\033[38;2;250;100;50mwarm\\033[m'; exec cat";

test("colours are true, of 256 or none, as the terminal can show", async () => {
  const home = new TestHome();
  await home.spawn(RED_GREEN_BLUE, { name: "one" });
  for (const [vars, wanted, unwanted] of [
    [{ COLORTERM: "truecolor" }, /38[:;]2[:;]+250[:;]100[:;]50/, undefined],
    [{ COLORTERM: "", TERM: "xterm-256color" }, /38[:;]5[:;]\d+/, /38[:;]2[:;]/],
    [{ NO_COLOR: "1" }, undefined, /\x1b\[[\d;:]*(?:38|48)[:;]/],
  ] as [Record<string, string>, RegExp | undefined, RegExp | undefined][]) {
    const tui = await opened(home, vars);
    await tui.shows("warm");
    await tui.detach();
    if (wanted !== undefined) expect(tui.written).toMatch(wanted);
    if (unwanted !== undefined) expect(tui.written).not.toMatch(unwanted);
  }
});

test("a terminal that cannot position text is refused with a message, and lists come without a pager", async () => {
  const home = new TestHome();
  const tui = new Tui(home.home, undefined, { TERM: "dumb" });
  expect(await tui.ended()).toBe(2);
  expect(tui.text()).toContain("TERM=dumb cannot run the full-screen interface.");
  expect(tui.written).not.toContain("\x1b");
  const list = new CliTerminal(["models"], home.home, { cols: 100, rows: 10 }, { TERM: "dumb" });
  expect(await list.ended()).toBe(0);
  expect(list.written).not.toContain("\x1b");
  expect(list.written).not.toContain("RETURN");
});

test("an uncaught error restores the terminal first, and is printed then", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo here; exec cat", { name: "one" });
  writeFileSync(
    join(home.home, "trap.cjs"),
    'process.on("SIGUSR2", () => { throw new Error("nobody expects this"); });',
  );
  const tui = await opened(home, { NODE_OPTIONS: `--require ${join(home.home, "trap.cjs")}` });
  await tui.shows("here");
  process.kill(tui.pty.pid, "SIGUSR2");
  expect(await tui.ended()).not.toBe(0);
  expect(tui.written.lastIndexOf("\x1b[?1049l")).toBeGreaterThan(tui.written.lastIndexOf("\x1b[?1049h"));
  expect(tui.text()).toContain("nobody expects this");
  expect((await home.meta(id)).alive).toBe(true);
});

test("closing the terminal detaches: the session continues, and its layout is kept", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo here; exec cat", { name: "one" });
  const tmux = startTmux();
  const command = `env -u TMUX HOME=${home.home} AMUX_HOME=${home.home} SHELL=/bin/sh ${process.execPath} ${AMUX}`;
  tmux.run("new-session", "-d", "-s", "t", "-x", "100", "-y", "30", command);
  const pid = Number(tmux.run("display-message", "-p", "-t", "t", "#{pane_pid}"));
  const shows = (text: string): Promise<boolean> =>
    waitFor(`"${text}"`, () => tmux.run("capture-pane", "-p", "-t", "t").includes(text));
  await shows("one");
  tmux.run("send-keys", "-t", "t", "Enter");
  await shows("vertical");
  tmux.run("send-keys", "-t", "t", "M-\\");
  await shows("┬");
  tmux.run("kill-server");
  await waitFor("the interface to end", () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
  const meta = await home.meta(id);
  expect([meta.alive, meta.ptys.length]).toEqual([true, 2]);
  const again = await opened(home);
  await again.shows(/─ one ─.*┬─ /);
  await again.detach();
});

test("a template stores a layout with its commands, and recreates it", async () => {
  const home = new TestHome();
  await home.spawn("echo here; exec cat", { name: "one" });
  const tui = await opened(home);
  await tui.shows("here");
  tui.press("alt+\\");
  await tui.shows("┬");
  tui.press("alt+t");
  await tui.shows("Save current layout");
  tui.press("ctrl+n");
  await tui.shows("Save the layout as");
  tui.type("pair\r");
  await tui.shows("Saved layout as pair.");
  tui.press("alt+t");
  await tui.shows("pair");
  tui.press("enter");
  // In its own workspace: the same two panes, with the first one's command.
  await tui.shows(/ 1 {2}2 /);
  await waitFor("its panes", () => tui.text().includes("here") && tui.text().includes("┬"));
  tui.press("alt+t");
  await tui.shows("pair");
  tui.press("ctrl+x");
  await tui.hides("pair");
  tui.press("esc");
  await tui.hides("Templates");
  await tui.detach();
});

test("a snoozed session leaves the list, and something new puts it back", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "one" });
  const report = (state: string, message: string): Promise<unknown> =>
    home.ask(id, {
      method: "POST",
      path: "/hook",
      body: JSON.stringify({ state, message, source: "hook", at: new Date().toISOString() }),
      headers: { "content-type": "application/json" },
    });
  await report("permission", "first question");
  const tui = new Tui(home.home);
  await tui.shows("1 waiting");
  tui.press("a");
  await tui.shows("first question");
  tui.press("s");
  await tui.shows("No session needs you.");
  await report("working", "going on");
  await report("permission", "second question");
  await tui.shows("second question");
  tui.press("esc");
  await tui.hides("Needs you");
  tui.press("q");
  await tui.ended();
});
