import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONTROL } from "../../src/core/visible-text.ts";
import type { SessionSummary } from "../../src/core/session.ts";
import { AMUX as AMUX_COMMAND, runCli, runJson } from "../support/run-cli.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";

const HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");
const options = { home: HOME };

it.each([
  ["attach", "\u001b[31mx"],
  ["sessions", "show", "\u001b]0;x\u0007"],
  ["config", "get", "a\u202eb"],
  ["sessions", "list", "--since", "\u001b[2J"],
  ["tail", "\u0007"],
  ["\u001b[2Jcommand"],
])("an error message has no control characters: %j", async (...args) => {
  const { code, stderr } = await warmCli(args, options);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/^amux: .*\\u(?:001b|202e|0007)/);
  expect(stderr.replaceAll("\n", "")).not.toMatch(CONTROL);
});

it("in a removed directory history is listed, and commands that need the directory say so", () => {
  const gone = join(tempHome().path, "gone");
  const script = `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec ${process.execPath} ${AMUX_COMMAND} "$@"`;
  const run = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync("sh", ["-c", script, "sh", ...args], {
      env: { PATH: process.env["PATH"], HOME, AMUX_HOME: tempHome().path },
      encoding: "utf8",
    });
  expect(run("sessions", "list", "--limit", "1", "--json")).toMatchObject({ status: 0 });
  expect(run("cost", "report")).toMatchObject({ status: 0 });
  for (const args of [
    ["run", "-d", "--", "true"],
    ["sessions", "list", "--cwd", "."],
  ]) {
    expect(run(...args)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: "amux: The working directory no longer exists. Change to another one first.\n",
    });
  }
});

it("a system error is one line, without a stack trace", async () => {
  const vars = { AMUX_HOME: "/dev/null" };
  for (const args of [
    ["index", "build"],
    ["run", "-d", "--", "true"],
    ["profiles", "set", "x", "model", "y"],
  ]) {
    const { code, stderr } = await warmCli(args, { home: HOME, vars });
    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toMatch(/^amux: .*\/dev\/null.*\n$/);
  }
});

it("a home that is not the user's own directory is named, without a stack trace", async () => {
  const { path, write } = tempHome();
  chmodSync(write("shared/x", ""), 0o644);
  chmodSync(`${path}/shared`, 0o755);
  symlinkSync(`${path}/shared`, `${path}/link`);
  const { code, stderr } = await warmCli(["index", "build"], { home: path, vars: { AMUX_HOME: `${path}/link` } });
  expect([code, stderr]).toEqual([
    1,
    `amux: ${path}/link leads to a directory that others can enter; chmod 700 it first.\n`,
  ]);
});

it("an agent's version is its first line, even if that is an error's", async () => {
  const { path, write } = tempHome();
  const program = (name: string, text: string): void => chmodSync(write(`bin/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
  program("pi", "echo 0.73.1 >&2");
  program("copilot", "echo Copilot 1.0; echo to update run this; echo warning >&2");
  program("gemini", "exit 0");
  const vars = { PATH: `${path}/bin:/usr/bin:/bin` };
  const agents = await warmJson<{ agent: string; version: string | null }[]>(["agents"], { home: path, vars });
  const versions = Object.fromEntries(agents.map(({ agent, version }) => [agent, version]));
  expect(versions).toMatchObject({ pi: "0.73.1", copilot: "Copilot 1.0", gemini: null, claude: null });
});

describe("a wrong command line", () => {
  it.each([
    [["sesions", "list"], 2, `There is no command "sesions" (did you mean "amux sessions list"?)`],
    [["sessions", "lst"], 2, `(did you mean "amux sessions list"?). amux sessions has list, show, `],
    [["list"], 2, `(did you mean "amux ls" or "amux sessions list"?)`],
    [["fork", "x"], 2, `(did you mean "amux sessions fork"?)`],
    [["version"], 2, `(did you mean "amux --version"?)`],
    [["--recent"], 2, "Unknown option --recent."],
    [["help", "sessions", "lst"], 2, `There is no command "sessions lst"`],
    [["help", "nothing"], 2, `There is no command "nothing".`],
    [["sessions", "list", "--limit", "-1"], 2, `--limit needs a value: --limit <n>, or --limit=<n>`],
    [["sessions", "list", "--limit"], 2, "--limit needs a value"],
    [["tail", "build", "-n", "-1"], 2, "--lines needs a value: --lines <n>, or --lines=<n>"],
    [["sessions", "list", "--reverse=yes"], 2, "--reverse takes no value."],
    [["sessions", "list", "--sincee", "7d"], 2, "amux sessions list has no option --sincee (did you mean --since?)"],
    [["sessions", "list", "--since", "yesterday-ish"], 2, "--since takes a date such as"],
    [["sessions", "list", "--since", "2026-02-31"], 2, "--since takes a date such as"],
    [["sessions", "list", "--limit", "0"], 2, `--limit takes a whole number from 1 up, not "0".`],
    [
      ["sessions", "list", "--sort", "size"],
      2,
      `--sort is one of date, cost, turns, duration, tokens, title, not "size".`,
    ],
    [["sessions", "list", "claude", "codex"], 2, `amux sessions list does not take "codex"`],
    [["sessions", "list", "klaude"], 3, `Unknown agent "klaude" (did you mean claude?). Known agents: `],
    [["sessions", "show"], 2, "amux sessions show needs <agent>"],
    [["sessions", "show", "claude"], 2, `"claude" names no session.`],
    [["sessions", "show", "claude", "nope"], 8, `No claude session has the id "nope".`],
    [["sessions", "show", "claude:nope"], 8, `No claude session has the id "nope".`],
    [["sessions", "export", "claude", "c"], 2, `"c" matches 3 claude sessions: `],
    [["sessions", "diff", "claude:cda20652", "claude:zzz"], 8, `No claude session has the id "zzz".`],
    [
      ["sessions", "show", "zzz"],
      8,
      `No session of any agent has the id "zzz", and no terminal session has that name.`,
    ],
    [["sessions", "show", "klaude:cda2"], 3, `Unknown agent "klaude"`],
    [["sessions", "show", "c"], 2, `"c" matches 3 sessions: claude:`],
    [["sessions", "search", " "], 2, "Say what to look for."],
    [["sessions", "search", "-retry policy"], 2, `A <query> that begins with "-" goes last, after "--".`],
    [["sessions", "search", "x", "--agent", "klaude"], 3, `Unknown agent "klaude"`],
    [["tasks", "--cwd", "/no/such/place"], 2, "The directory /no/such/place does not exist."],
    [["config", "set", "tiemout", "5"], 2, "tiemout is not a setting (did you mean timeout?)"],
    [["completion"], 2, "Missing shell: completion supports "],
    [["completion", "tcsh"], 2, `not "tcsh"`],
    [["cost", "report", "--agent", "klaude"], 3, `Unknown agent "klaude"`],
  ])("%j ends with %i", async (args, code, message) => {
    const plain = await warmCli(args, options);
    expect(plain.code).toBe(code);
    expect(plain.stderr).toContain(message);
    expect(plain.stderr.trim().split("\n")).toHaveLength(1);
    expect(plain.stdout).toBe("");
    const json = await warmCli([...args, "--json"], options);
    expect(json.code).toBe(code);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(message), recoverable: false },
    });
  });
});

describe("a session reference", () => {
  it("may be a prefix of an id, alone or after its agent", async () => {
    for (const args of [
      ["claude", "cda2"],
      ["claude:cda2"],
      ["cda2"],
      ["claude:cda20652-4669-479f-8a58-63db24691728"],
    ]) {
      const session = await warmJson<SessionSummary>(["sessions", "show", ...args], options);
      expect(session.sessionId).toBe("cda20652-4669-479f-8a58-63db24691728");
    }
  });
});

describe("output", () => {
  it("ends quietly when the reader has enough", async () => {
    const child = spawn(process.execPath, [AMUX, "sessions", "export", "claude", "5cbe954d", "--format", "markdown"], {
      env: { PATH: process.env["PATH"], HOME },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.destroy();
    const [code] = (await once(child, "close")) as [number | null];
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("has no colours in a pipe, has them when forced, and never with NO_COLOR", async () => {
    const escape = "\u001b[";
    const list = ["sessions", "list", "claude"];
    expect((await warmCli(list, options)).stdout).not.toContain(escape);
    expect((await warmCli(list, { ...options, vars: { FORCE_COLOR: "1" } })).stdout).toContain(escape);
    expect((await warmCli(list, { ...options, vars: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).not.toContain(
      escape,
    );
  });

  it("passes no control characters of a session to a terminal", async () => {
    const home = tempHome();
    const id = "11111111-2222-4333-8444-555555555555";
    const record = {
      type: "user",
      uuid: id,
      parentUuid: null,
      sessionId: id,
      timestamp: "2026-01-01T00:00:00Z",
      cwd: "/tmp/\u001b]0;cwd\u0007",
      message: { role: "user", content: "title \u001b]0;owned\u0007 \u001b[2J\u009b31m text" },
    };
    home.write(`.claude/projects/-p/${id}.jsonl`, `${JSON.stringify(record)}\n`);
    for (const args of [
      ["sessions", "list"],
      ["sessions", "show", "claude", id],
      ["sessions", "search", "title"],
      ["sessions", "resume", "claude", id, "--dry-run"],
      ["doctor", "claude"],
    ]) {
      const { stdout } = await warmCli(args, { home: home.path });
      expect(stdout.replaceAll("\n", ""), args.join(" ")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });
});

it("doctor marks an experimental agent once", async () => {
  const { stdout } = await warmCli(["doctor", "vscode"], { home: tempHome().path });
  expect(stdout.split("\n")[0]).toBe("VS Code Copilot chat (experimental) (vscode)");
});

describe("a list that is cut off", () => {
  const listed = async (...args: string[]): Promise<[number, string]> => {
    const { stdout, stderr } = await warmCli(["sessions", "list", "claude", ...args], options);
    return [stdout.split("\n").length - 2, stderr];
  };

  it("says so, and a complete one does not", async () => {
    const all = (await warmJson<SessionSummary[]>(["sessions", "list", "claude"], options)).length;
    expect(await listed()).toEqual([all, ""]);
    for (const how of [[], ["--counts"], ["--no-counts", "--no-index"], ["--sort", "cost"]]) {
      expect(await listed(...how, "--limit", String(all))).toEqual([all, ""]);
      const note = `Showing ${all - 1}; use --limit for more.\n`;
      expect(await listed(...how, "--limit", String(all - 1))).toEqual([all - 1, note]);
    }
    expect(await listed("--limit", "999999999")).toEqual([all, ""]);
    expect(await warmJson(["sessions", "list", "claude", "--limit", "2"], options)).toHaveLength(2);
  });

  it("of hits says that there may be more", async () => {
    const search = (...args: string[]): ReturnType<typeof warmCli> =>
      warmCli(["sessions", "search", "health", ...args], options);
    const unknown = await warmCli(["search", "foo:bar"], options);
    expect(unknown).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"foo:" is not a field. Fields: agent: '),
    });
    expect((await search("--limit", "1")).stderr).toBe("Showing 1; use --limit for more.\n");
    expect((await search("--limit", "999")).stderr).toBe("");
  });
});

describe("a store that cannot be read", () => {
  it("is reported as unreadable, not as lacking the session", async () => {
    const home = tempHome();
    const database = home.write(".local/share/opencode/opencode.db", "this is no database ".repeat(200));
    for (const args of [
      ["sessions", "show", "opencode", "ses_1"],
      ["sessions", "export", "opencode:ses_1"],
    ]) {
      const { code, stderr } = await warmCli(args, { home: home.path });
      expect(stderr).toContain(`${database} cannot be read (file is not a database). See amux doctor opencode.`);
      expect(code).toBe(1);
    }
    const { stderr } = await warmCli(["sessions", "search", "anything"], { home: home.path });
    expect(stderr).toBe("1 file was skipped; amux doctor says why.\nNo session matches.\n");
  });
});

describe("nothing found", () => {
  it("is not reported as an empty store when filters were given", async () => {
    const { stderr } = await warmCli(["sessions", "list", "claude", "--model", "none", "--tag", "x"], options);
    expect(stderr).toBe("No sessions for claude match --model, --tag.\n");
  });
});

describe("a read-only store", () => {
  it("is listed, shown and priced by a user without write access, and is not changed", async () => {
    const uid = 65_534;
    if (process.getuid?.() !== 0) return expect(process.getuid?.()).toBeGreaterThan(0);
    const rows = await runCli(["sessions", "list", "--json"], { ...options, uid });
    expect(rows.code).toBe(0);
    expect((JSON.parse(rows.stdout) as unknown[]).length).toBe(16);
  });

  it("counts what it is not allowed to read", async () => {
    const home = tempHome(HOME);
    chmodSync(home.path, 0o755);
    const project = join(home.path, ".claude/projects/-home-user-dev-shop-api");
    chmodSync(join(project, "cda20652-4669-479f-8a58-63db24691728.jsonl"), 0);
    const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const rows = await runJson<SessionSummary[]>(["sessions", "list"], { home: home.path, ...uid });
    expect(rows).toHaveLength(15);
    const [report] = await runJson<{ skipped: { reason: string }[] }[]>(["doctor", "claude"], {
      home: home.path,
      ...uid,
    });
    expect(report!.skipped.map((skipped) => skipped.reason)).toContain("cannot be read (EACCES)");
    const shown = await runCli(["sessions", "show", "claude", "cda20652"], { home: home.path, ...uid });
    expect(shown.code).toBe(1);
    expect(shown.stderr).toContain("cannot be read (EACCES)");
  });
});
