import { join } from "node:path";
import { expect, test } from "vitest";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";

const HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const SHOW = ["sessions", "show", "claude:dfb61421"];

async function onTerminal(args: readonly string[]): Promise<string> {
  const vars = { HOME, AMUX_HOME: tempHome().path, TZ: "Europe/Berlin", PAGER: "cat" };
  const terminal = new CliTerminal(args, HOME, { cols: 80, rows: 30 }, vars);
  expect(await terminal.ended()).toBe(0);
  return Buffer.from(terminal.written, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

test("on a terminal a session is shown with colours, diffs, message numbers and local times", async () => {
  const text = await onTerminal(SHOW);
  expect(text).toContain("\u001b[36m\u001b[1m#0 user · 15 Nov");
  expect(text).toContain("\u001b[32m+   'GET /health': () => ({ ok: true }),");
  expect(text).toMatch(/Created\s+\S+ 15 Nov (?:2026 )?02:44/);
  expect(text).not.toContain("**Session:**");
  expect(text).not.toContain("old_string");
  // eslint-disable-next-line no-control-regex
  const lines = text.replace(/\u001b\[\d+m/g, "").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("Markdown is what a pipe gets, and a terminal on request", async () => {
  const piped = await warmCli(SHOW, { home: HOME });
  expect(piped.stdout).toContain("- **Session:** claude:dfb61421");
  expect(await onTerminal([...SHOW, "--format", "markdown"])).toContain("- **Session:** claude:dfb61421");
  const asText = await warmCli([...SHOW, "--format", "text"], { home: HOME });
  expect(asText.stdout).toContain("#0 user · 15 Nov");
  expect(asText.stdout).not.toContain("\u001b");
});
