import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import { trustHash } from "../../src/agents/codex/hooks.ts";
import type { HookedLaunch } from "../../src/core/hooks.ts";
import type { Json } from "../../src/lib/json/fields.ts";
import { agentsOf } from "../../src/status/status-file.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { tempHome } from "../support/temp-home.ts";
import { startTmux } from "./support/tmux.ts";

const script = join(import.meta.dirname, "../../dist/amux-hook.cjs");
const program = { node: process.execPath, script };

async function launch(
  agent: string,
  argv: string[],
  options: { version?: string; vars?: Record<string, string>; directory?: string } = {},
): Promise<HookedLaunch | undefined> {
  const env: AgentEnv = { home: "/home/me", platform: "linux", vars: options.vars ?? {} };
  const { hooks } = await new AgentRegistry().get(agent);
  return hooks!.launch!(argv, {
    env,
    program,
    directory: options.directory ?? "/run/s1",
    version: options.version ?? "99.0.0",
  });
}

describe("one start", () => {
  it("of Claude Code has its hooks in --settings, right after the program", async () => {
    const hooked = (await launch("claude", ["/usr/bin/claude", "--resume", "abc", "do it"]))!;
    expect([hooked.argv[0], hooked.argv[1], ...hooked.argv.slice(3)]).toEqual([
      "/usr/bin/claude",
      "--settings",
      "--resume",
      "abc",
      "do it",
    ]);
    const { hooks } = JSON.parse(hooked.argv[2]!) as { hooks: Json };
    expect(Object.keys(hooks)).toContain("PermissionRequest");
    expect([hooked.env, hooked.files]).toEqual([{}, []]);
  });

  it("of Claude Code keeps settings the user gives it, inline or from a file", async () => {
    const file = tempHome().write(
      "mine.json",
      '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}',
    );
    const hooked = (await launch("claude", [
      "claude",
      `--settings=${file}`,
      "--settings",
      '{"env":{"A":"b"}}',
      "--",
      "--settings",
      "x",
    ]))!;
    expect(hooked.argv.slice(3)).toEqual(["--", "--settings", "x"]);
    const settings = JSON.parse(hooked.argv[2]!) as { hooks: Record<string, Json[]>; model: string; env: Json };
    expect(settings).toMatchObject({ model: "opus", env: { A: "b" } });
    expect(settings.hooks["Stop"]).toHaveLength(2);
    expect(settings.hooks["Stop"]![1]).toEqual({ hooks: [{ type: "command", command: "mine" }] });
  });

  it("of Claude Code is left alone when its settings cannot be read", async () => {
    expect(await launch("claude", ["claude", "--settings", "/nowhere.json"])).toBeUndefined();
  });

  it("of Codex has hooks and the trust in exactly these", async () => {
    const hooked = (await launch("codex", ["codex", "resume", "--last"]))!;
    const settings = hooked.argv.filter((_, index) => hooked.argv[index - 1] === "-c");
    expect(hooked.argv.slice(-2)).toEqual(["resume", "--last"]);
    expect(settings[0]).toBe("features.hooks=true");
    const stop = settings.find((setting) => setting.startsWith("hooks.Stop="))!;
    const command = JSON.parse(/command=("(?:[^"\\]|\\.)*")/.exec(stop)![1]!) as string;
    expect(settings.at(-1)).toContain(
      `"/<session-flags>/config.toml:stop:0:0"={trusted_hash="${trustHash("stop", undefined, command)}"}`,
    );
    expect(hooked.argv.join(" ")).not.toContain("bypass");
  });

  it("of Codex has the hash that Codex itself computes", () => {
    // Computed by hand from the canonical form.
    expect(trustHash("stop", undefined, "true")).toBe(
      "sha256:53dac8c5feaef3fa564d088de5a55337f522ebea375fc486f76cc50440d96e19",
    );
  });

  it.each([
    ["codex", "0.134.9"],
    ["copilot", "1.0.24"],
  ])("of an old %s is left alone", async (agent, version) => {
    expect(await launch(agent, [agent], { version })).toBeUndefined();
  });

  it("of Codex with hooks of the user's own on its command line is left alone", async () => {
    expect(await launch("codex", ["codex", "-c", "hooks.Stop=[]"])).toBeUndefined();
  });

  it("of Gemini keeps the defaults that were there", async () => {
    const defaults = tempHome().write("defaults.json", '{"theme":"x","hooks":{"AfterAgent":[{"hooks":[]}]}}');
    const hooked = (await launch("gemini", ["gemini", "-i", "hi"], {
      vars: { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: defaults },
    }))!;
    expect(hooked.argv).toEqual(["gemini", "-i", "hi"]);
    expect(hooked.env).toEqual({ GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "/run/s1/gemini-defaults.json" });
    const settings = JSON.parse(hooked.files[0]!.content) as { theme: string; hooks: Json };
    expect(settings.theme).toBe("x");
    expect(settings.hooks["AfterAgent"]).toEqual([{ hooks: [] }]);
    expect(Object.keys(settings.hooks)).toContain("Notification");
  });

  it("of Qwen Code adds its hooks to the defaults that were there", async () => {
    const defaults = tempHome().write("system-defaults.json", '{"theme":"x","hooks":{"Stop":[{"hooks":[]}]}}');
    const hooked = (await launch("qwen", ["qwen", "-i", "hi"], {
      vars: { QWEN_CODE_SYSTEM_SETTINGS_PATH: join(dirname(defaults), "settings.json") },
    }))!;
    expect(hooked.argv).toEqual(["qwen", "-i", "hi"]);
    expect(hooked.env).toEqual({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: "/run/s1/qwen-defaults.json" });
    const settings = JSON.parse(hooked.files[0]!.content) as { theme: string; hooks: Record<string, Json[]> };
    expect(settings.theme).toBe("x");
    expect(settings.hooks["Stop"]).toEqual([{ hooks: [] }, settings.hooks["StopFailure"]![0]]);
  });

  it("of Copilot names a plug-in directory", async () => {
    const hooked = (await launch("copilot", ["copilot", "--continue"]))!;
    expect(hooked.argv).toEqual(["copilot", "--plugin-dir", "/run/s1/copilot-plugin", "--continue"]);
    expect(hooked.files.map(({ path }) => path)).toEqual([
      "/run/s1/copilot-plugin/plugin.json",
      "/run/s1/copilot-plugin/hooks.json",
    ]);
  });

  it("of OpenCode adds a plug-in to those of the user", async () => {
    const vars = { OPENCODE_CONFIG_CONTENT: '{"model":"m","plugin":["mine"]}' };
    const hooked = (await launch("opencode", ["opencode"], { vars }))!;
    expect(JSON.parse(hooked.env["OPENCODE_CONFIG_CONTENT"]!)).toEqual({
      model: "m",
      plugin: ["mine", "file:///run/s1/amux-status.js"],
    });
    expect(await launch("opencode", ["opencode"], { vars: { OPENCODE_CONFIG_CONTENT: "// no" } })).toBeUndefined();
  });

  it.each(["claude", "codex", "gemini", "copilot", "opencode", "pi", "omp", "qwen"])(
    "of something else is not changed by %s",
    async (agent) => {
      expect(await launch(agent, ["bash", "-c", `${agent}x`])).toBeUndefined();
      expect(await launch(agent, ["vim", "--", agent])).toBeUndefined();
      expect(await launch(agent, ["vim", agent])).toBeUndefined();
      expect(await launch(agent, ["node", "/x/amux.js", "run", agent, "do it"])).toBeUndefined();
      expect(await launch(agent, ["env", "A=b", `/opt/bin/${agent}`])).toBeDefined();
    },
  );
});

/** Waits for the status file; the hook sends in the background. */
function untilSource(agent: string): string {
  return `import { readFileSync } from "node:fs";
    const until = async (status) => {
      for (let tries = 0; tries < 10_000; tries++) {
        try {
          if (JSON.parse(readFileSync(process.env.HOME + "/.claude-sessions/s.json", "utf8")).agents.${agent}.status === status) return;
        } catch {}
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };`;
}

/** Runs a module of ours in a stand-in for the agent, in a tmux session. */
async function play(
  agent: string,
  file: { path: string; content: string },
  driver: string,
): Promise<{ statuses: string[]; file: Json }> {
  const home = tempHome();
  const vars = startTmux().newSession("s", home.path);
  const path = join(home.path, "module.mjs");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file.content);
  const main = home.write(
    "main.mjs",
    `import * as module from ${JSON.stringify(path)};\n${untilSource(agent)}\n${driver}`,
  );
  const { status, stderr } = spawnSync(process.execPath, [main], {
    env: { PATH: process.env["PATH"], HOME: home.path, ...vars },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const kept = new StatusStore(join(home.path, ".claude-sessions")).read("s")!;
  const log = (
    (kept["amux"] as Json)["agents"] as Record<string, { evidence: { log: { event: string; state: string }[] } }>
  )[agent]!.evidence.log;
  return { statuses: log.map(({ event, state }) => `${event} ${state}`), file: kept };
}

describe("the modules", () => {
  it("for Pi forwards events in order, and the end in time", async () => {
    const [file] = (await launch("pi", ["pi"]))!.files;
    const driver = `
      const handlers = {};
      module.default({ on: (name, handler) => { if (name === "auto_retry_start") throw new Error("unknown"); handlers[name] = handler; } });
      const ctx = { cwd: "/w", sessionManager: { getSessionId: () => "p1", getSessionFile: () => "/f.jsonl" }, isIdle: () => false };
      const fire = (name, event = {}) => handlers[name]?.(event, ctx);
      fire("session_start");
      fire("before_agent_start", { prompt: "Sketch it" });
      fire("agent_start");
      fire("tool_execution_end", { toolName: "bash" });
      fire("ui_prompt_start", { title: "Deploy?" });
      fire("ui_prompt_end");
      fire("agent_end");
      fire("agent_settled", { aborted: false });
      await until("done");
      fire("session_shutdown");
      process.exit(0);`;
    const { statuses, file: kept } = await play("pi", file!, driver);
    expect(statuses).toEqual([
      "session_start idle",
      "before_agent_start working",
      "agent_start working",
      "tool_execution_end working",
      "ui_prompt_start waiting",
      "ui_prompt_end working",
      "agent_settled done",
      "session_shutdown offline",
    ]);
    expect(agentsOf(kept)["pi"]?.status).toBe("offline");
  });

  it("for OpenCode distinguishes a sub-agent's end from the session's", async () => {
    const [file] = (await launch("opencode", ["opencode"]))!.files;
    const driver = `
      const hooks = await module.AmuxStatus({ directory: "/w" });
      const event = (type, properties) => hooks.event({ event: { type, properties } });
      await event("plugin.added", {});
      await event("session.created", { sessionID: "s1", info: { id: "s1" } });
      await hooks["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts: [{ type: "text", text: "Do it" }] });
      await event("session.status", { sessionID: "s1", status: { type: "busy" } });
      await event("session.status", { sessionID: "s1", status: { type: "busy" } });
      await event("session.created", { sessionID: "s2", info: { id: "s2", parentID: "s1" } });
      await event("permission.asked", { id: "per1", sessionID: "s2", permission: "bash", patterns: ["rm x"] });
      await event("permission.replied", { sessionID: "s2", requestID: "per1", reply: "once" });
      await event("session.idle", { sessionID: "s2" });
      await event("session.error", { sessionID: "s1", error: { name: "ProviderError", data: { message: "overloaded" } } });
      await until("error");`;
    const { statuses, file: kept } = await play("opencode", file!, driver);
    expect(statuses).toEqual([
      "session.created idle",
      "chat.message working",
      "session.status working",
      "permission.asked permission",
      "permission.replied working",
      "session.idle stopped",
      "session.error error",
    ]);
    expect(agentsOf(kept)["opencode"]).toMatchObject({ status: "error", message: "overloaded" });
  });

  it.each(["pi", "omp", "opencode"])("for %s does nothing outside of amux and tmux", async (agent) => {
    const [file] = (await launch(agent, [agent]))!.files;
    const home = tempHome();
    const path = home.write("module.mjs", file!.content.replaceAll(script, "/nowhere/amux-hook.cjs"));
    const use =
      agent === "opencode"
        ? "await (await module.AmuxStatus({})).event({ event: { type: 'session.idle', properties: {} } })"
        : "module.default({ on: (name, handle) => handle() })";
    const main = home.write("main.mjs", `import * as module from ${JSON.stringify(path)};\n${use};`);
    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: { PATH: process.env["PATH"], HOME: home.path },
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
