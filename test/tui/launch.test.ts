/** Starting sessions from the terminal interface. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { gitRepository } from "../support/git-repository.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { Tui } from "./support/tui.ts";

test("a command line with shell syntax for a new session is run by the shell", async () => {
  const home = new TestHome();
  const tui = new Tui(home.home, undefined, { SHELL: "/bin/sh" });
  await tui.shows("n new");
  tui.press("n");
  await tui.shows("Start a session");
  tui.type("echo one; echo two$((1+1)); exec cat");
  await tui.shows("enter runs echo one");
  tui.press("enter");
  await tui.shows("Directory for:");
  tui.press("enter");
  await tui.shows("two2");
});

test("an agent is started with a prompt and a model", async () => {
  const home = new TestHome();
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), '#!/bin/sh\nfor word; do echo "<$word>"; done\nexec cat\n');
  chmodSync(join(bin, "claude"), 0o755);
  const tui = new Tui(home.home, undefined, { PATH: `${bin}:${process.env["PATH"]}` });
  await tui.shows("n new");
  tui.press("n");
  await tui.shows("Start a session");
  tui.type("shell");
  await tui.hides("Claude Code");
  tui.press("tab");
  await tui.shows("shell takes no prompt here: choose an agent");
  tui.type("\x15");
  tui.type("claude code");
  await tui.shows("Claude Code");
  tui.press("tab");
  await tui.shows("Prompt for Claude Code");
  tui.type("fix the tests\r");
  await tui.shows("Model (empty: its default)");
  tui.type("opus\r");
  await tui.shows("Directory for: claude");
  tui.press("enter");
  await tui.shows("<opus>");
  await tui.shows("<fix the tests>");
});

test("an agent is started in a worktree of its own", async () => {
  const { home, path, vars, commit } = gitRepository();
  commit("first", { "a.txt": "one\n" });
  const sessions = new TestHome();
  const bin = join(sessions.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), '#!/bin/sh\necho "in $(pwd) on $(git branch --show-current)"\nexec cat\n');
  chmodSync(join(bin, "claude"), 0o755);
  const tui = new Tui(
    home,
    { cols: 140, rows: 30 },
    { ...vars, AMUX_HOME: sessions.home, PATH: `${bin}:${process.env["PATH"]}` },
  );
  await tui.shows("n new");
  tui.press("n");
  await tui.shows("Start a session");
  tui.type("claude code");
  await tui.shows("Claude Code");
  tui.press("tab");
  await tui.shows("Prompt for Claude Code");
  tui.type("\r");
  await tui.shows("Model (empty: its default)");
  tui.type("\r");
  await tui.shows("Directory for: claude");
  tui.type(`\x15${path}\r`);
  await tui.shows("Worktree for a branch");
  tui.type("taxes\r");
  await tui.shows(`in ${path}.worktrees/taxes on taxes`);
});

test("the directory of a new session is chosen among those of recent sessions", async () => {
  const home = new TestHome();
  const shop = join(home.home, "shop");
  mkdirSync(shop);
  await home.waitForEnd(await home.spawn("exit 0", { cwd: shop, name: "before" }));
  const tui = new Tui(home.home, undefined, { SHELL: "/bin/sh" });
  await tui.shows("before");
  tui.press("n");
  await tui.shows("Start a session");
  tui.type("pwd; exec cat\r");
  await tui.shows("up/down recent");
  await tui.shows(shop);
  tui.press("down", "enter");
  await tui.shows(shop);
  await tui.hides("Directory for:");
});
