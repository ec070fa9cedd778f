/** `amux run` and related commands as users and scripts call them. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILTIN_AGENT_NAMES } from "../../src/agents/builtin.gen.ts";
import { fakeAgent, isAlive, type FakeAgent } from "../support/fake-agent.ts";
import { waitFor } from "../support/wait-for.ts";
import { runCli, type CliResult, type CommandPlace } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");
const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures");
const replay = (name = "tools-1", vars: Record<string, string> = {}): FakeAgent =>
  fakeAgent("claude", "replay", { FAKE_STREAM: join(CLAUDE, "stream", `${name}.jsonl`), ...vars });

const placeOf = (fake: FakeAgent): CommandPlace => ({
  home: fake.home.path,
  vars: fake.env.vars,
  cwd: fake.home.path,
});

const cli = (fake: FakeAgent, ...args: string[]): Promise<CliResult> => warmCli(args, placeOf(fake));

/** As a process of its own, with text on standard input. */
function start(fake: FakeAgent, args: readonly string[], stdin = "") {
  const child = spawn(process.execPath, [AMUX, ...args], { env: fake.env.vars, cwd: fake.home.path });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(stdin);
  const ended = new Promise<CliResult>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

const ANSWERS = [
  "I'll look at the routes first.",
  "Now the tests.",
  "Added `GET /health`; the test run reports no failures.",
];

describe("amux run", () => {
  it("writes the text to standard output and the agent's actions beside it", async () => {
    const { code, stdout, stderr } = await runCli(["run", "claude", "Add it"], placeOf(replay()));
    expect(code).toBe(0);
    expect(stdout).toBe(`${ANSWERS.join("\n")}\n`);
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      "• Read /home/user/dev/shop-api/src/routes.js",
      "• Edit /home/user/dev/shop-api/src/routes.js",
      "• Bash node --test 2>&1 | tail -8",
    ]);
    expect(stderr).toMatch(/63,189 tokens · \$0\.0969 · claude:dfb61421-d08a-4f49-8f45-e72d5dab1652\n$/);
  });

  it("with --quiet prints only the last answer", async () => {
    expect(await cli(replay(), "run", "claude", "Add it", "-q")).toEqual({
      code: 0,
      stdout: `${ANSWERS[2]}\n`,
      stderr: "",
    });
  });

  it("prints events as JSON lines that end in the result, without quadratic growth", async () => {
    const { code, stdout, stderr } = await cli(
      replay("qa-partial"),
      "run",
      "claude",
      "Explain",
      "--json",
      "--tag",
      "ci",
    );
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ type: "session_start", agent: "claude" });
    expect(lines.at(-1)).toMatchObject({
      type: "run_result",
      exitReason: "completed",
      tags: ["ci"],
      cost: { totalUsd: 0.035616 },
    });
    expect(lines.some((line) => "accumulated" in line)).toBe(false);
    expect(lines.filter(({ type }) => type === "text_delta")).toHaveLength(4);
  });

  it.each([
    ["an argument", ["Do it"], ""],
    ["--prompt", ["-p", "Do it"], ""],
    ["--file", ["--file", "task.md"], ""],
    ["standard input", [], "Do it"],
    ["standard input, named", ["-"], "Do it"],
  ])("takes the prompt from %s", async (_where, args, stdin) => {
    const fake = replay("qa-partial");
    fake.home.write("task.md", "Do it");
    expect((await start(fake, ["run", "claude", ...args, "-q"], stdin).ended).code).toBe(0);
    expect(fake.notes()[0]).toContain(String.raw`\"content\":\"Do it\"`);
  });

  it("takes a single sentence as the prompt of the configured agent", async () => {
    const fake = replay("qa-partial");
    await cli(fake, "config", "set", "defaultAgent", "claude");
    expect((await cli(fake, "run", "Do it now", "-q")).code).toBe(0);
  });

  it("resumes a session in its own directory", async () => {
    const fake = replay("tools-2-resume");
    const run = (...args: string[]) =>
      warmCli(["run", "claude", "More", "-q", ...args], {
        ...placeOf(fake),
        vars: { ...fake.env.vars, CLAUDE_CONFIG_DIR: join(CLAUDE, "home/.claude") },
      });
    const gone = await run("--session", "dfb61421");
    expect(gone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("/home/user/dev/shop-api does not exist"),
    });
    mkdirSync(join(fake.home.path, "shop"));
    expect((await run("--session", "dfb61421", "--cwd", "shop")).code).toBe(0);
    expect((await run("--fork", "dfb61421", "--cwd", "shop")).code).toBe(0);
    const [resumed, forked] = fake.notes().map((line) => JSON.parse(line) as { argv: string[]; cwd: string });
    expect(resumed!.cwd).toBe(join(fake.home.path, "shop"));
    expect(resumed!.argv.join(" ")).toContain("--resume dfb61421-d08a-4f49-8f45-e72d5dab1652");
    expect(forked!.argv.join(" ")).toContain("--resume dfb61421-d08a-4f49-8f45-e72d5dab1652 --fork-session");
  });
});

describe("the exit code", () => {
  it.each([
    [["run", "claude"], 2, "No terminal here: give claude a prompt"],
    [["run", "claude", "x", "--prompt", "y"], 2, "The prompt is given twice: as argument and as --prompt."],
    [
      ["run", "claude", "x", "--timeout", "30"],
      2,
      `--timeout takes a time such as 500ms, 30s, 5m, 1h or 7d, not "30".`,
    ],
    [["run", "claude", "x", "--env", "FOO"], 2, `--env takes name=value, not "FOO".`],
    [["run", "claude", "x", "--yolo", "--deny"], 2, "--yolo and --deny exclude each other."],
    [["run", "claude", "x", "--cwd", "nowhere"], 2, "does not exist"],
    [["run", "klaude", "x"], 3, `Unknown agent "klaude" (did you mean claude?).`],
    [["run", "codex", "x"], 4, "codex is not on the PATH; install Codex CLI first."],
    [["run", "codex", "-d"], 4, "codex is not on the PATH; install Codex CLI first."],
    [["run", "gemini", "x", "--no-session"], 6, "Gemini CLI saves every session."],
    [["run", "claude", "x", "--session", "nope"], 8, `No claude session has the id "nope".`],
    [["run", "claude", "x", "--profile", "nope"], 9, `There is no profile "nope".`],
    [["run", "--profile", "nope", "hi"], 9, `There is no profile "nope".`],
    [["config", "get", "nope"], 2, "nope is not set."],
    [["profiles", "delete", "nope"], 9, `There is no global profile "nope".`],
    [["profiles", "set", "review", "agent", "codx"], 3, `Unknown agent "codx" (did you mean codex?)`],
  ])("of amux %j is %i", async (args, code, message) => {
    const result = await cli(replay(), ...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  it("distinguishes time-outs, crashes and refusals", async () => {
    const timeout = cli(fakeAgent("claude", "hang"), "run", "claude", "x", "--timeout", "300ms", "-q");
    const silence = cli(fakeAgent("claude", "hang"), "run", "claude", "x", "--inactivity-timeout", "300ms", "-q");
    const crash = cli(fakeAgent("claude", "crash", { FAKE_SILENT: "1" }), "run", "claude", "x", "-q");
    const refused = fakeAgent("claude", "busy", { FAKE_REFUSALS: "9", FAKE_TOOL: "1" });
    refused.env.vars["FAKE_COUNT"] = join(refused.home.path, "count");
    const busy = cli(refused, "run", "claude", "x", "-q");
    const results = await Promise.all([timeout, silence, crash, busy]);
    expect(results.map(({ code }) => code)).toEqual([11, 11, 12, 14]);
    expect(results[2]!.stderr).toBe("amux: Claude Code ended with exit code 3: fatal: the disk is on fire\n");
  });

  it("is in the JSON too", async () => {
    const { code, stdout } = await cli(fakeAgent("nothing", "hang"), "run", "claude", "x", "--json");
    expect(code).toBe(4);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({
      type: "run_result",
      error: { code: "AGENT_NOT_INSTALLED" },
    });
  });
});

/** A process id that the agent wrote down. */
function noted(fake: FakeAgent, what: "pid" | "child"): number | undefined {
  const line = fake.notes().find((one) => one.startsWith(what));
  return Number(line?.slice(what.length + 1)) || undefined;
}

describe("signals", () => {
  it("interrupt at the first Ctrl-C and abort at the second, with everything the agent started", async () => {
    const fake = fakeAgent("claude", "stubborn");
    await cli(fake, "config", "set", "gracePeriodMs", "200");
    const { child, ended } = start(fake, ["run", "claude", "x"]);
    const pid = await waitFor("the agent's process", () => noted(fake, "pid"));
    child.kill("SIGINT");
    await waitFor("the interruption", () => fake.notes().includes("SIGINT"));
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(13);
    expect(stderr).toContain("Interrupted; Ctrl-C again ends the agent.");
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(noted(fake, "child") ?? 0)).toBe(false);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("end the agent on %s", async (signal) => {
    const fake = fakeAgent("claude", "hang");
    const { child, ended } = start(fake, ["run", "claude", "x"]);
    const pid = await waitFor("the agent's process", () => noted(fake, "pid"));
    child.kill(signal);
    expect((await ended).code).toBe(13);
    expect(isAlive(pid)).toBe(false);
  });

  it("end the agent when nobody reads any more", async () => {
    const fake = fakeAgent("claude", "flood", { FAKE_LINES: "100000000" });
    const { child, ended } = start(fake, ["run", "claude", "x"]);
    child.stdout.once("data", () => child.stdout.destroy());
    expect((await ended).code).toBe(13);
  });
});

describe("settings on the command line", () => {
  it("keep profiles and use them", async () => {
    const fake = replay("qa-partial");
    for (const [field, value] of [
      ["agent", "claude"],
      ["model", "opus"],
      ["tags", '["review"]'],
    ] as const) {
      expect((await cli(fake, "profiles", "set", "review", field, value)).code).toBe(0);
    }
    expect(JSON.parse((await cli(fake, "profiles", "show", "review", "--json")).stdout)).toEqual({
      agent: "claude",
      model: "opus",
      tags: ["review"],
    });
    const { stdout } = await cli(fake, "run", "Do it now", "--profile", "review", "--json");
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({ tags: ["review"] });
    expect(fake.notes()[0]).toContain('"--model","opus"');
    const word = await cli(fake, "run", "--profile", "review", "continue", "--json");
    expect(JSON.parse(word.stdout.trimEnd().split("\n").at(-1)!), "a single word is a prompt too").toMatchObject({
      tags: ["review"],
    });
    expect((await cli(fake, "profiles", "delete", "review")).code).toBe(0);
    expect((await cli(fake, "profiles", "list", "--json")).stdout).toBe("[]\n");
  });

  it("show agents with what they can do", async () => {
    const fake = replay("qa-partial", { ANTHROPIC_API_KEY: "secret" });
    const { stdout } = await cli(fake, "agents", "--json");
    const agents = JSON.parse(stdout) as Record<string, unknown>[];
    expect(agents.map(({ agent }) => agent)).toEqual([...BUILTIN_AGENT_NAMES]);
    expect(stdout).not.toContain("secret");
    const experimental = agents.filter((agent) => agent["experimental"]);
    expect(experimental.map(({ displayName }) => displayName)).toEqual(
      agents.map(({ displayName }) => displayName).filter((name) => String(name).endsWith(" (experimental)")),
    );
    const shown = await cli(fake, "agents");
    expect(shown.stdout.trimEnd().split("\n").at(-1)).toBe(
      `Experimental, without recordings of the real program: ${experimental.map(({ agent }) => agent).join(", ")}`,
    );
    expect(agents.find(({ agent }) => agent === "claude")).toMatchObject({
      installed: true,
      authState: { status: "authenticated", method: "api_key", details: "ANTHROPIC_API_KEY" },
      capabilities: { canRun: true, canResume: true, canFork: true, streamsText: true, asksForApproval: true },
    });
    expect(agents.find(({ agent }) => agent === "codex")).toMatchObject({ installed: false, version: null });
  });

  it("show models with their prices", async () => {
    const { stdout } = await cli(replay(), "models", "claude-opus-4-5", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { id: "claude-opus-4-5", vendor: "anthropic", rates: { input: 5, output: 25 } },
    ]);
  });
});

it("reads tags also from a project's own run index, and says what is unreadable", async () => {
  const home = tempHome(join(CLAUDE, "home"));
  const id = "dfb61421-d08a-4f49-8f45-e72d5dab1652";
  const line = { v: 1, runId: "01M7EYNPE5PTV3TV8VEJRZ3VEA", agent: "claude", sessionId: id, tags: ["theirs"] };
  home.write("project/.agent-mux/run-index.jsonl", `${JSON.stringify(line)}\n{"v":1,"runId":"torn`);
  const options = { home: home.path, cwd: join(home.path, "project") };
  const listed = await warmJson<{ sessionId: string }[]>(["sessions", "list", "claude", "--tag", "theirs"], options);
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([id]);
  const { stderr } = await warmCli(["doctor", "claude"], options);
  expect(stderr).toContain("Run index: 1 run; 1 line is torn or not ours.");
});
