/** The interface inside tmux: keys in, screens out, compared as text. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { startTmux, type Tmux } from "../status/support/tmux.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");

class InTmux {
  private readonly tmux: Tmux = startTmux();

  constructor(home: string, cols: number, rows: number) {
    const variables = ["HOME", "AMUX_HOME"].map((name) => `${name}=${home}`);
    const command = [
      "env",
      "-u",
      "TMUX",
      ...variables,
      "SHELL=/bin/sh",
      "TERM=screen-256color",
      process.execPath,
      AMUX,
    ];
    this.tmux.run(
      "new-session",
      "-d",
      "-s",
      "t",
      "-x",
      String(cols),
      "-y",
      String(rows),
      `${command.join(" ")}; echo left with $?; exec cat`,
    );
  }

  keys(...keys: string[]): void {
    this.tmux.run("send-keys", "-t", "t", ...keys);
  }

  /** Without the clock. */
  screen(): string[] {
    return this.tmux
      .run("capture-pane", "-p", "-t", "t")
      .replace(/\d\d:\d\d$/m, "hh:mm")
      .split("\n");
  }

  async shows(text: string): Promise<void> {
    try {
      await waitFor(`"${text}" in tmux`, () => this.screen().some((line) => line.includes(text)));
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.screen().join("\n")}`, { cause: error });
    }
  }
}

test("layouts are drawn correctly in tmux", async () => {
  const home = new TestHome();
  await home.spawn("printf main; exec cat", { name: "left" });
  await home.spawn("printf upper; exec cat", { name: "right" });
  await home.spawn("printf lower; exec cat", { name: "third" });
  const tmux = new InTmux(home.home, 60, 10);
  await tmux.shows("left");
  for (const [name, how] of [
    ["left", "Enter"],
    ["right", "Tab"],
    ["third", "Tab"],
  ] as const) {
    tmux.keys("M-s");
    await tmux.shows("Sessions");
    tmux.keys("-l", name);
    await tmux.shows(`› ${name}`);
    tmux.keys(how);
    await tmux.shows(name === "left" ? "main" : name === "right" ? "upper" : "lower");
  }
  const line = (left: string, joint: string, right: string): string => `${left.padEnd(30)}${joint}${right}`;
  // Panes get their new sizes one after the other.
  await expect
    .poll(() => tmux.screen())
    .toEqual([
      `${"─ left ".padEnd(30, "─")}┬${"─ right ".padEnd(29, "─")}`,
      line("main", "│", "upper"),
      line("", "│", ""),
      line("", "│", ""),
      line("", "├", "─ third ".padEnd(29, "─")),
      line("", "│", "lower"),
      line("", "│", ""),
      line("", "│", ""),
      line("", "│", ""),
      `${" ○ left   1   ctrl+b o list  ctrl+b ? help".padEnd(44)}vertical  hh:mm`,
    ]);
  tmux.keys("C-b");
  tmux.keys("H");
  await tmux.shows("horizontal");
  await expect
    .poll(() => tmux.screen().filter((text) => text.startsWith("─")))
    .toEqual(["─ left ".padEnd(60, "─"), `${"─ right ".padEnd(29, "─")}┬${"─ third ".padEnd(30, "─")}`]);
  tmux.keys("C-b");
  tmux.keys("t");
  await tmux.shows(" 2 third ");
  tmux.keys("M-k");
  await tmux.shows("upper");
  tmux.keys("C-b");
  tmux.keys("d");
  await tmux.shows("left with 0");
  expect(await home.client.list()).toHaveLength(3);
});
