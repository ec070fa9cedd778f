import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandHelp, helpWidth } from "../../src/cli/command-help.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { warmCli } from "../support/warm-cli.ts";

const HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const options = { home: HOME };

describe("help", () => {
  it("fits a screen and begins with what a newcomer needs", async () => {
    const { code, stdout } = await warmCli(["--help"], options);
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeLessThanOrEqual(40);
    for (const first of ["run claude", "attention", "attach", "search", "cost"])
      expect(stdout).toContain(`amux ${first}`);
    expect(await warmCli(["help"], options)).toMatchObject({ code: 0, stdout });
  });

  it("of all commands lists each one for people, with its summary and its short name", async () => {
    const { code, stdout } = await warmCli(["help", "all"], options);
    expect(code).toBe(0);
    const text = stdout.replace(/\s+/g, " ");
    for (const { name, summary, shortName, isPlumbing } of COMMANDS) {
      if (isPlumbing) expect(stdout).not.toContain(summary);
      else expect(text).toContain(`${name} ${summary}${shortName === undefined ? "" : ` (also: amux ${shortName})`}`);
    }
  });

  it.each(COMMANDS)("of amux $name has usage, options and examples, in lines of at most 100 columns", async (entry) => {
    const text = commandHelp((await entry.load()).default, helpWidth(Number.POSITIVE_INFINITY));
    expect(text).toMatch(new RegExp(`^Usage: amux ${entry.name}`));
    expect(text).toContain("--json");
    expect(text).toMatch(/Examples:\n {2}\S/);
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  it("of a command is the same however it is requested, even by its short name", async () => {
    const { stdout } = await warmCli(["sessions", "search", "--help"], options);
    expect(stdout).toMatch(/^Usage: amux sessions search/);
    for (const asked of [
      ["help", "sessions", "search"],
      ["search", "--help"],
      ["help", "search"],
    ]) {
      expect(await warmCli(asked, options)).toMatchObject({ code: 0, stdout });
    }
  });

  it("is as wide as the terminal, between 60 and 120 columns", () => {
    expect([20, 80, 200, Number.POSITIVE_INFINITY].map(helpWidth)).toEqual([60, 80, 120, 100]);
  });

  it("has the same name for a command in the list and in its own help", async () => {
    for (const { name, load } of COMMANDS) expect((await load()).default.name).toBe(name);
  });

  it("lists a group's subcommands", async () => {
    const { code, stdout } = await warmCli(["sessions"], options);
    expect(code).toBe(2);
    expect(stdout).toContain("amux sessions list");
    for (const asked of [
      ["sessions", "--help"],
      ["help", "sessions"],
    ]) {
      expect(await warmCli(asked, options)).toMatchObject({ code: 0, stdout });
    }
  });
});
