/** `amux sessions resume` and `fork`. */
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../support/temp-home.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

const HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const options = { home: HOME };

describe("resume and fork", () => {
  it("show what they would do", async () => {
    const resume = await warmCli(["sessions", "resume", "claude", "cda2", "--dry-run"], options);
    expect(resume.stdout).toBe(
      "cd -- /home/user/dev/shop-api && claude --resume cda20652-4669-479f-8a58-63db24691728\n",
    );
    const fork = await warmJson<{ command: string[] }>(["sessions", "fork", "claude", "cda2", "--dry-run"], options);
    expect(fork.command).toEqual(["claude", "--resume", "cda20652-4669-479f-8a58-63db24691728", "--fork-session"]);
  });

  it("say which part is impossible, and why a copy's command is not shown", async () => {
    const home = tempHome(HOME);
    home.write(
      ".gemini/tmp/shop/chats/session-2026-11-15T01-44-aaaaaaaa.jsonl",
      [
        { sessionId: "aaaaaaaa-0000-4000-8000-000000000000", startTime: "2026-11-15T01:44:00Z" },
        { id: "1", timestamp: "2026-11-15T01:44:01Z", type: "user", content: "hi" },
        { id: "2", timestamp: "2026-11-15T01:44:02Z", type: "gemini", content: "ho" },
      ]
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(""),
    );
    const fork = await warmCli(["sessions", "fork", "gemini", "aaaa", "--dry-run"], { home: home.path });
    expect([fork.code, fork.stderr]).toEqual([
      2,
      "amux: Gemini CLI forks from a copy of the session, which --dry-run does not make.\n",
    ]);
  });

  it("fork at a message into a copy, and remove it when nothing was started", async () => {
    const home = tempHome(HOME);
    const program = home.write("bin/claude", '#!/bin/sh\necho "$@" > "$HOME/started"\n');
    chmodSync(program, 0o755);
    const project = join(home.path, ".claude/projects/-home-user-dev-shop-api");
    const before = readdirSync(project);
    const run = (...args: string[]): ReturnType<typeof warmCli> =>
      warmCli(["sessions", "fork", "claude", "cda2", "--cwd", "/", "-d", ...args], {
        home: home.path,
        vars: { PATH: `${join(home.path, "bin")}:/usr/bin:/bin` },
      });
    for (const [args, code, message] of [
      [["--at", "0"], 2, /Nothing was answered before that message/],
      [["--at", "x"], 2, /--at takes a whole number from 0 up/],
      [["--at", "1", "--env", "nothing"], 2, /--env takes name=value/],
    ] as const) {
      const failed = await run(...args);
      expect(failed.stderr).toMatch(message);
      expect(failed.code).toBe(code);
      expect(readdirSync(project)).toEqual(before);
    }
    const { code, stdout } = await run("--at", "1");
    expect(code).toBe(0);
    const [copy] = readdirSync(project).filter((name) => !before.includes(name));
    const started = join(home.path, "started");
    // A shell makes the file before it writes into it.
    await expect
      .poll(() => existsSync(started) && readFileSync(started, "utf8"))
      .toContain(`--resume ${copy!.slice(0, -".jsonl".length)}`);
    await warmCli(["kill", stdout.trim()], { home: home.path });
  });

  it("say when the directory or the program is gone", async () => {
    const home = tempHome(HOME);
    const program = home.write("bin/claude", "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const vars = { PATH: `${join(home.path, "bin")}:/usr/bin:/bin` };
    const gone = await warmCli(["sessions", "resume", "claude", "cda2", "-d"], { home: home.path, vars });
    expect([gone.code, gone.stderr]).toEqual([
      2,
      "amux: The directory /home/user/dev/shop-api does not exist. Name another one with --cwd.\n",
    ]);
    const missing = await warmCli(["sessions", "resume", "claude", "cda2", "--cwd", "/", "-d"], {
      ...options,
      vars: { PATH: "/nowhere" },
    });
    expect([missing.code, missing.stderr]).toEqual([
      4,
      "amux: claude is not on the PATH; install Claude Code first.\n",
    ]);
  });
});
