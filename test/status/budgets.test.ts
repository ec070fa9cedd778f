import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsOf, type StatusFile } from "../../src/status/status-file.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { recordedHome } from "../archive/support/archive.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { startTmux } from "./support/tmux.ts";

const program = join(import.meta.dirname, "../../dist/amux-hook.cjs");

async function hook(home: string, vars: Record<string, string>, payload: object, agent = "claude"): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: home, ...vars };
  const child = spawn(process.execPath, [program, agent], { env });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(JSON.stringify({ session_id: "s1", cwd: home, ...payload }));
  await once(child, "close");
  return output;
}

it("a refusal that Claude Code tells its hook is kept with the account", async () => {
  const home = tempHome();
  const vars = startTmux().newSession("s", home.path);
  home.write(".claude.json", JSON.stringify({ oauthAccount: { emailAddress: "me@example.com" } }));
  const failure = { hook_event_name: "StopFailure", error: "rate_limit" };
  await hook(home.path, vars, { ...failure, last_assistant_message: "API Error: 529 overloaded" });
  await hook(home.path, vars, {
    ...failure,
    last_assistant_message: "You've hit your 5-hour limit · resets 10pm (UTC)",
  });
  const lines = readFileSync(join(home.path, ".agent-mux/limits.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { agent: "claude", account: "me@example.com", session: "s1", windows: [], refusal: { kind: "5h" } },
  ]);
});

describe("budgets", () => {
  it("are set, listed with what is used, part of the cost report, and removed", async () => {
    const home = recordedHome(tempHome().path, ["claude", "codex"]);
    const check = (command: string, ...args: string[]): Promise<unknown> => checkedJson(command, args, { home });
    await check("budget set", "project", "0.01", "--project", "/home/user/dev/shop-api", "--stop");
    await check("budget set", "day", "20");
    await check("budget set", "5h", "90%");
    const states = (await check("budget list")) as { per: string; level: string }[];
    expect(states.map(({ per, level }) => [per, level])).toEqual([
      ["project", "over"],
      ["day", expect.stringMatching(/ok|over/) as unknown],
      ["5h", "unknown"],
    ]);
    expect(await check("cost report", "--budget")).toMatchObject({ budgets: states });
    const { stdout } = await warmCli(["budget", "list"], { home });
    expect(stdout).toMatch(/project in \/home\/user\/dev\/shop-api: \$[\d.]+ of \$0\.01 used, stops sessions/);
    const waiting = async (): Promise<unknown> =>
      ((await check("attention")) as { reason: string; name: string; text: string }[]).map(({ reason, name }) => [
        reason,
        name,
      ]);
    expect(await waiting()).toEqual([["budget", "Budget for a project"]]);
    const raised = ["budget", "set", "project", "10000", "--project", "/home/user/dev/shop-api", "--stop"];
    const { stdout: state, stderr: then } = await warmCli(raised, { home });
    expect(state).toMatch(/^ +0% {2}project in .*: \$[\d.]+ of \$10000\.00 used, will stop sessions\n$/);
    expect(then).toMatch(/warns at \$8000\.00\. At \$10000\.00, Claude Code and Codex .*refuse prompts/);
    expect(await waiting()).toEqual([]);
    await check("budget remove", "day");
    expect(await check("budget list")).toHaveLength(2);
    expect((await warmCli(["budget", "remove", "day"], { home })).code).toBe(2);
    expect((await warmCli(["budget", "set", "day", "80%"], { home })).stderr).toContain("give dollars");
    expect((await warmCli(["budget", "set", "month", "80"], { home })).code).toBe(2);
  });

  it("that are used up refuse a prompt of Claude Code and end its turn after a tool", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const store = new StatusStore(join(home.path, ".claude-sessions"));
    const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Fix it" };
    expect(await hook(home.path, vars, prompt)).toBe("");
    const text = "amux budget, today: $20.31 of $20.00 used.";
    home.write(".agent-mux/budget-stops.json", JSON.stringify({ at: Date.now(), stops: [{ session: "s1", text }] }));
    expect(JSON.parse(await hook(home.path, vars, prompt))).toEqual({ decision: "block", reason: text });
    expect(store.read("s")).toMatchObject({ status: "error", message: text } satisfies Partial<StatusFile>);
    const tool = { hook_event_name: "PostToolUse", tool_name: "Bash" };
    expect(JSON.parse(await hook(home.path, vars, tool))).toEqual({ continue: false, stopReason: text });
    expect(JSON.parse(await hook(home.path, vars, prompt, "codex"))).toEqual({ decision: "block", reason: text });
    expect(await hook(home.path, vars, tool, "codex")).toBe("");
    for (const other of [{ session_id: "s2", ...prompt }, { hook_event_name: "Stop" }])
      expect(await hook(home.path, vars, other)).toBe("");
    expect(Object.keys(agentsOf(store.read("s")!))).toEqual(["codex"]);
  });
});
