/** Background runs on a prompt, and terminals without one; both are linked to their conversation. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ShimClient } from "../../src/client/shim-client.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { fakeAgent, type FakeAgent } from "../support/fake-agent.ts";
import { waitFor } from "../support/wait-for.ts";
import { runCli, runJson, type CliResult } from "../support/run-cli.ts";

const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures");
const SESSION = "dfb61421-d08a-4f49-8f45-e72d5dab1652";

interface Listed {
  id: string;
  alive: boolean;
  exit_code: number | null;
  unified_id?: string;
  cwd: string;
  state: string;
}

function replaying(): FakeAgent {
  const fake = fakeAgent("claude", "replay", { FAKE_STREAM: join(CLAUDE, "stream/tools-1.jsonl") });
  fake.env.vars["AMUX_HOME"] = fake.home.path;
  fake.env.vars["CLAUDE_CONFIG_DIR"] = join(CLAUDE, "home/.claude");
  onTestFinished(async () => {
    const client = new ShimClient({ home: fake.home.path });
    for (const id of await client.list()) await client.kill(id);
  });
  return fake;
}

const cli = (fake: FakeAgent, ...args: string[]): Promise<CliResult> =>
  runCli(args, { home: fake.home.path, vars: fake.env.vars, cwd: fake.home.path });

const list = (fake: FakeAgent): Promise<Listed[]> =>
  runJson(["ls"], { home: fake.home.path, vars: fake.env.vars, cwd: fake.home.path });

function ended(fake: FakeAgent, id: string): Promise<Listed> {
  return waitFor(`the end of ${id}`, async () => (await list(fake)).find((one) => one.id === id && !one.alive));
}

it("a background run works on its prompt; transcript, terminal and run are linked", async () => {
  const fake = replaying();
  fake.home.write("work/note.txt", "");
  const { code, stdout } = await cli(fake, "run", "claude", "Add it", "-d", "--tag", "night", "--cwd", "work");
  expect(code).toBe(0);
  const id = stdout.trim();
  const session = await ended(fake, id);
  expect(session).toMatchObject({ exit_code: 0, unified_id: `claude:${SESSION}`, cwd: join(fake.home.path, "work") });
  // From the conversation to the terminal, and back.
  expect((await cli(fake, "capture", `claude:${SESSION}`)).stdout).toContain("Added `GET /health`");
  const listed = await runJson<{ sessionId: string }[]>(["sessions", "list", "claude", "--tag", "night"], {
    home: fake.home.path,
    vars: fake.env.vars,
  });
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([SESSION]);
  expect(JSON.parse(fake.notes()[0]!)).toMatchObject({ cwd: join(fake.home.path, "work") });
});

it("a background run reports at once what would go wrong", async () => {
  const fake = replaying();
  for (const [args, code, message] of [
    [["run", "klaude", "x", "-d"], 3, `Unknown agent "klaude" (did you mean claude?).`],
    [["run", "codex", "x", "-d"], 4, "codex is not on the PATH"],
    [["run", "gemini", "x", "-d", "--no-session"], 6, "Gemini CLI saves every session."],
    [["run", "claude", "-d", "--model", "x"], 2, "--model is for a run on a prompt."],
    [["run", "--tag", "x", "--", "true"], 2, "--tag is for a run on a prompt."],
  ] as [string[], number, string][]) {
    const result = await cli(fake, ...args);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  }
  expect(await list(fake)).toEqual([]);
});

it("a past session opens in a terminal that stays, linked to it from the start", async () => {
  const fake = replaying();
  // Short enough for one line of the terminal, whatever the other arguments.
  const says = 'arguments="$*"\necho "--resume ${arguments##*--resume }" | cut -c 1-60';
  const program = fake.home.write("agents/claude", `#!/bin/sh\n${says}\nread line\nexit 7\n`);
  chmodSync(program, 0o755);
  const vars = { ...fake.env.vars, PATH: `${join(fake.home.path, "agents")}:/usr/bin:/bin` };
  const args = ["sessions", "resume", "claude", "dfb6", "--cwd", fake.home.path];
  const terminal = new CliTerminal(args, fake.home.path, undefined, vars);
  await terminal.sees(`--resume ${SESSION}`);
  const [session] = await list(fake);
  expect(session).toMatchObject({ alive: true, unified_id: `claude:${SESSION}` });
  terminal.type("\r");
  expect(await terminal.ended()).toBe(7);
});

it("a past session continues with a prompt", async () => {
  const fake = replaying();
  const { code, stdout } = await cli(fake, "sessions", "fork", "claude", "dfb6", "-p", "More", "-q", "--cwd", ".");
  expect([code, stdout]).toEqual([0, "Added `GET /health`; the test run reports no failures.\n"]);
  const note = await waitFor("a note of the agent", () => fake.notes()[0]);
  expect((JSON.parse(note) as { argv: string[] }).argv.join(" ")).toContain(`--resume ${SESSION} --fork-session`);
});
