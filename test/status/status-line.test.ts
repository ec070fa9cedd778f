import type { HookInstallation } from "../../src/core/hooks.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentRegistry } from "../../src/agents/registry.ts";
import { HOOK_SCRIPT } from "../../src/lib/process/hook-program.ts";
import { hookState, installHooks, uninstallHooks, withoutLine } from "../../src/status/hook-install.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { PATIENT } from "./support/tmux.ts";

const program = join(import.meta.dirname, "../../dist/amux-hook.cjs");
const HOUR = 3_600_000;

/** Nearly a minute: as long, the rest of a window is shown as the same minutes. */
const SPARE_MS = 59_000;

/** Claude Code's documented input; the limits are there for subscribers only, so it could not be recorded here. */
function documented(cwd: string): object {
  return {
    hook_event_name: "Status",
    session_id: "abc123",
    cwd,
    model: { id: "claude-opus-5-5", display_name: "Opus 5.5" },
    workspace: { current_dir: cwd, project_dir: cwd },
    cost: { total_cost_usd: 1.2345 },
    context_window: { context_window_size: 200_000, used_percentage: 26, remaining_percentage: 74 },
    rate_limits: {
      five_hour: { used_percentage: 42.4, resets_at: Math.floor((Date.now() + 2.5 * HOUR + SPARE_MS) / 1000) },
      seven_day: { used_percentage: 91, resets_at: Math.floor((Date.now() + 75 * HOUR + SPARE_MS) / 1000) },
    },
  };
}

interface Printed {
  code: number | null;
  text: string;
}

async function printed(
  input: string | null,
  args: readonly string[] = [],
  vars: Record<string, string> = {},
): Promise<Printed> {
  const env = { PATH: process.env["PATH"], HOME: tempHome().path, ...PATIENT, ...vars };
  const child = spawn(process.execPath, [program, "statusline", ...args], { env });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  child.stdin.on("error", () => undefined);
  if (input !== null) child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}

describe("a status line", () => {
  it("shows model, branch, context, cost and limits in every format", async () => {
    const home = tempHome();
    home.write("repo/.git/HEAD", "ref: refs/heads/fix/#1\n");
    const cwd = join(home.path, "repo/deep/down");
    mkdirSync(cwd, { recursive: true });
    const input = JSON.stringify(documented(cwd));
    expect((await printed(input, ["--format", "plain"])).text).toBe(
      "Opus 5.5 · fix/#1 · context 26% · $1.23 · 5h 42% (2h30m) · 7d 91% (3d3h)\n",
    );
    expect((await printed(input)).text).toContain("\u001b[31m91%\u001b[0m");
    expect((await printed(input, [], { NO_COLOR: "1" })).text).not.toContain("\u001b");
    expect((await printed(input, ["--format", "tmux"])).text).toMatch(/fix\/##1.*#\[fg=red\]91%/);
    expect(JSON.parse((await printed(input, ["--format=json"])).text)).toMatchObject({
      session: "abc123",
      branch: "fix/#1",
      cost_usd: 1.2345,
      limits: [
        { window: "5h", used_percent: 42.4 },
        { window: "7d", used_percent: 91 },
      ],
    });
  });

  it("finds the branch of a worktree, and the commit without a branch", async () => {
    const home = tempHome();
    home.write("main/.git/worktrees/w/HEAD", "ref: refs/heads/other\n");
    home.write("w/.git", `gitdir: ${join(home.path, "main/.git/worktrees/w")}\n`);
    home.write("bare/.git/HEAD", `${"ab12".repeat(10)}\n`);
    const at = async (name: string): Promise<string> =>
      (await printed(JSON.stringify({ cwd: join(home.path, name) }), ["--format", "plain"])).text;
    expect([await at("w"), await at("bare")]).toEqual(["other\n", "ab12ab1\n"]);
  });

  it.each([
    ["nothing", ""],
    ["a cut-off text", '{"model": {"display_name": "Op'],
    ["a list", "[1]"],
    ["more than any agent writes", "x".repeat(3_000_000)],
  ])("prints something short and succeeds with %s", async (_, input) => {
    expect(await printed(input)).toEqual({ code: 0, text: "amux: no data for a status line\n" });
  });

  it("does not wait for a writer that stays silent", async () => {
    expect((await printed(null, [], { AMUX_HOOK_PATIENCE: "1" })).code).toBe(0);
  });

  it("prints no control characters of a hostile input, and ignores values of the wrong kind", async () => {
    const input = {
      model: { display_name: "Op\u001b]0;owned\u0007us\nsecond line" },
      context_window: { used_percentage: "50", context_window_size: -1 },
      cost: { total_cost_usd: null },
      rate_limits: { five_hour: { used_percentage: -3 }, seven_day: [1], "\u001b[2J": { used_percentage: 1 } },
    };
    const { text } = await printed(JSON.stringify(input), ["--format", "plain"]);
    expect(text).toBe("Op]0;ownedus second line · [2J 1%\n");
  });

  it("a window that was reset shows no old figure", async () => {
    const input = { rate_limits: { five_hour: { used_percentage: 99, resets_at: 1_700_000_000 } } };
    expect((await printed(JSON.stringify(input), ["--format", "plain"])).text).toBe("5h reset\n");
  });

  it("shows the user's own line above, with the same input; a failing one is left out", async () => {
    const input = JSON.stringify({ model: { id: "m" } });
    const own = await printed(input, ["--format", "plain", "--with", "cat; echo; echo two"]);
    expect(own.text).toBe(`${input}\ntwo\nm\n`);
    expect((await printed(input, ["--format", "plain", "--with", "echo no; exit 3"])).text).toBe("m\n");
  });
});

async function placeIn(home: string, node = process.execPath): Promise<HookInstallation> {
  const { hooks } = await new AgentRegistry().get("claude");
  const script = join(dirname(program), HOOK_SCRIPT);
  const target = hooks!.target({ home, platform: "linux", vars: {} }, { node, script }, "9.9.9");
  return { agent: "claude", target, isOurs: (text) => text.includes(HOOK_SCRIPT), home: join(home, ".agent-mux") };
}

/** As the agent would run the command in its settings. */
function shown(path: string, input: string): string {
  const settings = JSON.parse(readFileSync(path, "utf8")) as { statusLine: { command: string } };
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", NO_COLOR: "1", ...PATIENT };
  return spawnSync("/bin/sh", ["-c", settings.statusLine.command], { input, env, encoding: "utf8" }).stdout;
}

const INPUT = JSON.stringify({ model: { display_name: "Opus" } });

describe("installed with the hooks", () => {
  it("runs, without a status line of the user", async () => {
    const home = tempHome();
    const place = await placeIn(home.path);
    installHooks(place);
    expect(shown(place.target.path, INPUT)).toBe("Opus\n");
  });

  it("keeps the user's own command and fields, and restores them even after an edit", async () => {
    const home = tempHome();
    const theirs = { type: "command", command: `printf '%s\\n' "it's mine"`, padding: 2 };
    const place = await placeIn(home.path);
    const path = home.write(".claude/settings.json", JSON.stringify({ statusLine: theirs, model: "opus" }));
    installHooks(place);
    expect(shown(path, INPUT)).toBe("it's mine\nOpus\n");
    expect(installHooks(place)).toBe(false);
    const edited = { ...(JSON.parse(readFileSync(path, "utf8")) as object), theme: "dark" };
    writeFileSync(path, JSON.stringify(edited));
    expect(installHooks(await placeIn(home.path, "/other/node"))).toBe(true);
    uninstallHooks(place);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ statusLine: theirs, model: "opus", theme: "dark" });
  });

  it("still shows the user's own line when Node is gone", async () => {
    const home = tempHome();
    const path = home.write(
      ".claude/settings.json",
      JSON.stringify({ statusLine: { type: "command", command: "echo mine" } }),
    );
    installHooks(await placeIn(home.path, "/gone/node"));
    expect(shown(path, INPUT)).toBe("mine\n");
  });

  it("leaves a status line of another kind alone, and can be left out", async () => {
    const home = tempHome();
    const other = { statusLine: { type: "builtin" } };
    const place = await placeIn(home.path);
    const path = home.write(".claude/settings.json", JSON.stringify(other));
    installHooks(place);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(other);
    uninstallHooks(place);
    writeFileSync(path, "{}");
    installHooks(place);
    installHooks(withoutLine(place));
    expect(JSON.parse(readFileSync(path, "utf8"))).not.toHaveProperty("statusLine");
    expect(hookState(place)).toBe("installed");
  });
});

describe("the limits that a status line receives", () => {
  it("are shown by amux limits, by account, and in a line without input", async () => {
    const home = tempHome();
    home.write(".claude.json", JSON.stringify({ oauthAccount: { emailAddress: "me@example.com" } }));
    const input = documented(home.path) as { rate_limits: { five_hour: { resets_at: number } } };
    await printed(JSON.stringify(input), [], { HOME: home.path });
    const { limits, unknown } = await warmJson<Limits>(["limits"], { home: home.path });
    expect(limits).toMatchObject([
      {
        agent: "claude",
        account: "me@example.com",
        window: "5h",
        used_percent: 42.4,
        resets_at: new Date(input.rate_limits.five_hour.resets_at * 1000).toISOString(),
        is_reset: false,
        used_by: [],
      },
      { agent: "claude", window: "7d", used_percent: 91 },
    ]);
    expect(limits[0]!.pace).toBeCloseTo(0.85, 1);
    expect(unknown.map(({ agent }) => agent)).toEqual(["codex"]);
    const { stdout, stderr } = await warmCli(["limits"], { home: home.path });
    expect(stdout).toMatch(/^claude +me@example\.com +5h +42% +in 2h30m +0\.8\d +/m);
    expect(stderr).toContain("Codex CLI: unknown. ");
    const line = await printed("", ["--format", "plain"], { HOME: home.path });
    expect(line.text).toBe("5h 42% (2h30m) · 7d 91% (3d3h)\n");
  });

  it("come with the projects and the titles of the sessions that used most", async () => {
    const home = tempHome();
    const at = { sessionId: "s1", cwd: "/home/ada/shop", timestamp: new Date(Date.now() - 60_000).toISOString() };
    const usage = { input_tokens: 1000, output_tokens: 1000 };
    const message = { role: "assistant", id: "m1", model: "claude-opus-5-5", content: [], usage };
    const records = [
      { type: "user", uuid: "u1", ...at, message: { role: "user", content: "Fix the tax of returns" } },
      { type: "assistant", uuid: "u2", parentUuid: "u1", requestId: "r1", ...at, message },
    ];
    home.write(".claude/projects/-home-ada-shop/s1.jsonl", records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    await printed(JSON.stringify(documented(home.path)), [], { HOME: home.path });
    const { stdout } = await warmCli(["limits"], { home: home.path });
    expect(stdout).toContain("claude 5h, cost on this machine: /home/ada/shop 100%");
    expect(stdout).toContain("claude 5h, sessions: Fix the tax of returns 100%");
  });

  it("unknown ones stay unknown, and amux says how to make them known", async () => {
    const { code, stdout, stderr } = await warmCli(["limits"], { home: tempHome().path });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("amux hooks install claude");
  });
});

interface Limits {
  limits: { pace?: number }[];
  unknown: { agent: string }[];
}
