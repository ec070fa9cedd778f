/** MCP tools that act: offered with --write only, and with the checks that people get. */
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ShimClient } from "../../src/client/shim-client.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { screenFile } from "../status/support/screens.ts";
import { DEADLINE_MS } from "../support/deadline.ts";
import { fakeAgent } from "../support/fake-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");
const CHOICE = join(import.meta.dirname, "../status/support/choice.mjs");
const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures");

interface Answer {
  error?: { message: string };
  result?: { isError?: boolean; content: { text: string }[] };
}

async function callTool(vars: Record<string, string>, name: string, args: object, ...options: string[]) {
  const child = spawn(process.execPath, [AMUX, "mcp", ...options], {
    env: { PATH: process.env["PATH"], TZ: "UTC", ...vars },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const params = { name, arguments: args };
  child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  await new Promise((resolve) => child.on("close", resolve));
  return JSON.parse(output) as Answer;
}

const textOf = ({ result }: Answer): string => result!.content[0]!.text;

it("launch starts an agent in the background, as amux run -d does", async () => {
  const fake = fakeAgent("claude", "replay", { FAKE_STREAM: join(CLAUDE, "stream/tools-1.jsonl") });
  const vars = { ...fake.env.vars, AMUX_HOME: fake.home.path, CLAUDE_CONFIG_DIR: join(CLAUDE, "home/.claude") };
  const client = new ShimClient({ home: fake.home.path });
  onTestFinished(async () => {
    for (const id of await client.list()) await client.kill(id);
  });
  fake.home.write("work/note.txt", "");
  const args = { agent: "claude", prompt: "Add it", cwd: join(fake.home.path, "work"), name: "helper" };
  expect((await callTool(vars, "launch", args)).error?.message).toBe("There is no tool launch.");
  const { session } = JSON.parse(textOf(await callTool(vars, "launch", args, "--write"))) as { session: string };
  const timeout_seconds = Math.round(DEADLINE_MS / 1000);
  const ended = await callTool(vars, "wait", { session, for: "exit", timeout_seconds }, "--write");
  expect(JSON.parse(textOf(ended))).toEqual({ reached: true, exit_code: 0 });
  expect(JSON.parse(fake.notes()[0]!)).toMatchObject({ cwd: join(fake.home.path, "work") });
  const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: args.cwd });
  git("init", "--quiet");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "--message", "first");
  const apart = await callTool(vars, "launch", { ...args, name: "apart", worktree: "" }, "--write");
  expect(JSON.parse(textOf(apart))).toMatchObject({ branch: "amux-1", worktree: `${args.cwd}.worktrees/amux-1` });
  const refused: [object, string][] = [
    [{ ...args, agent: "klaude" }, 'Unknown agent "klaude" (did you mean claude?).'],
    [{ ...args, prompt: "-" }, "prompt must say what to do."],
    [{ ...args, cwd: "/no/such" }, "The directory /no/such does not exist."],
    [{ ...args, yolo: "yes" }, "There is no argument yolo"],
  ];
  for (const [wrong, message] of refused) {
    const answer = await callTool(vars, "launch", wrong, "--write");
    expect([answer.result?.isError, textOf(answer)]).toEqual([true, expect.stringContaining(message)]);
  }
});

it("answer picks the named option of another session, never of the calling one", async () => {
  const home = new TestHome();
  const options = ["1. Yes", "2. Yes, and always", "3. Yes, and switch", "4. No"];
  const command = [process.execPath, CHOICE, screenFile("claude", "permission"), ...options];
  const id = await home.client.spawn({ command, cwd: home.home, kind: "claude", resume_key: "abc" });
  await home.waitForText(id, "Do you want to proceed?");
  const report = { agent: "claude", state: "permission", message: "Bash: rm", source: "hook", ask: "a1" };
  await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
  await waitFor("its options", async () => (await home.meta(id)).state?.options?.length === 4);
  const vars = { HOME: home.home, AMUX_HOME: home.home };
  const args = { session: id, answer: "deny" };
  expect((await callTool(vars, "answer", args)).error?.message).toBe("There is no tool answer.");
  for (const own of [{ AMUX_SESSION_ID: id }, { CLAUDE_CODE_SESSION_ID: "abc" }]) {
    const answer = await callTool({ ...vars, ...own }, "answer", args, "--write");
    expect([answer.result?.isError, textOf(answer)]).toEqual([true, "This is the calling session."]);
  }
  const other = await callTool(vars, "answer", { ...args, asked: "another" }, "--write");
  expect(other.result?.isError).toBe(true);
  expect(await home.text(id)).not.toMatch(/took:|key:/);
  const { asked } = (await home.meta(id)).state!;
  const answer = await callTool(vars, "answer", { ...args, asked }, "--write");
  expect(JSON.parse(textOf(answer))).toMatchObject({ session: id, option: "No", via: "typed" });
  await home.waitForText(id, "took:4. No:");
});
