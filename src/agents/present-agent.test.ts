import { mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { clientOf, madeAgent } from "../../test/support/made-agent.ts";
import { foundIds, says, session } from "../../test/support/made-conversations.ts";
import { tempHome, type TempHome } from "../../test/support/temp-home.ts";
import type { SessionQuery } from "../history/options.ts";
import type { AgentEnv } from "./adapter.ts";
import { AGENT_LOCATIONS } from "./agent-locations.gen.ts";
import { BUILTIN_AGENTS, type BuiltInAgentName } from "./builtin.gen.ts";
import { presentAgent } from "./present-agent.ts";
import { AgentRegistry } from "./registry.ts";

const NAMES = Object.keys(BUILTIN_AGENTS) as BuiltInAgentName[];
const ID = "11111111-0000-4000-8000-000000000000";
const CLAUDE_FILE = `.claude/projects/-a/${ID}.jsonl`;

/** Every variable that moves a store. */
const MOVED = {
  CLAUDE_CONFIG_DIR: "~/moved/claude",
  CLINE_DATA_DIR: "~/moved/cline",
  CODEX_HOME: "~/moved/codex",
  CONTINUE_GLOBAL_DIR: "~/moved/continue",
  COPILOT_HOME: "~/moved/copilot",
  CURSOR_DATA_DIR: "~/moved/cursor",
  FACTORY_HOME_OVERRIDE: "~/moved/factory",
  GEMINI_CLI_HOME: "~/moved/gemini",
  GROK_HOME: "~/moved/grok",
  GOOSE_PATH_ROOT: "~/moved/goose",
  HERMES_HOME: "~/moved/hermes/profiles/work",
  KILO_DB: "~/moved/kilo.db",
  KIMI_CODE_HOME: "~/moved/kimi",
  OPENCLAW_HOME: "~/moved/openclaw",
  OPENCLAW_PROFILE: "work",
  OPENCODE_DB: "~/moved/opencode.db",
  PI_CODING_AGENT_DIR: "~/moved/pi",
  PI_CODING_AGENT_SESSION_DIR: "~/moved/pi-sessions",
  PI_CONFIG_DIR: "moved-omp",
  QWEN_HOME: "~/moved/qwen",
  QWEN_RUNTIME_DIR: "~/moved/qwen-runtime",
  VSCODE_PORTABLE: "~/moved/vscode",
};
const MOVED_BY_XDG = {
  OPENCLAW_STATE_DIR: "~/moved/state",
  XDG_CONFIG_HOME: "~/moved/config",
  XDG_DATA_HOME: "~/moved/data",
  XDG_STATE_HOME: "~/moved/xdg-state",
};

/** Counts how often each adapter is loaded. */
function watchLoads(): () => string[] {
  const spies = NAMES.map((name) => vi.spyOn(BUILTIN_AGENTS, name));
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return () => NAMES.filter((_, index) => spies[index]!.mock.calls.length > 0);
}

function writeClaude(home: TempHome, text: string): void {
  const record = { type: "user", uuid: ID, parentUuid: null, sessionId: ID, timestamp: "2026-01-01T00:00:00Z" };
  writeAtRest(home, CLAUDE_FILE, `${JSON.stringify({ ...record, message: { role: "user", content: text } })}\n`);
}

/** A file written just now is not indexed yet. */
function writeAtRest(home: TempHome, name: string, text: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(home.write(name, text), hourAgo, hourAgo);
}

function writeCodex(home: TempHome, text: string): string {
  const id = "22222222-0000-4000-8000-000000000000";
  const timestamp = "2026-01-02T00:00:00Z";
  const lines = [
    { timestamp, type: "session_meta", payload: { id, timestamp, cwd: "/w" } },
    { timestamp, type: "event_msg", payload: { type: "user_message", message: text } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
    },
  ];
  writeAtRest(
    home,
    `.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-${id}.jsonl`,
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`,
  );
  return id;
}

describe.each([{}, MOVED, MOVED_BY_XDG])("with variables %j", (vars) => {
  it.each(NAMES)("the files of %s are in its known locations", async (name) => {
    for (const platform of ["linux", "darwin", "win32"] as const) {
      const env: AgentEnv = { home: tempHome().path, platform, vars };
      const places = AGENT_LOCATIONS[name]!(env);
      const adapter = await new AgentRegistry().get(name);
      for (const root of adapter.history!.roots(env))
        expect(
          places.some((place) => `${root}/`.startsWith(`${place}/`)),
          `${root} in ${places.join(", ")}`,
        ).toBe(true);
    }
  });

  it.each(NAMES)("%s is present as soon as one of its locations exists", async (name) => {
    const registry = new AgentRegistry();
    const newEnv = (): AgentEnv => ({ home: tempHome().path, platform: "linux", vars });
    const { length } = AGENT_LOCATIONS[name]!(newEnv());
    for (let number = 0; number < length; number++) {
      const env = newEnv();
      expect((await presentAgent(registry, name, env)).history).toBeUndefined();
      mkdirSync(AGENT_LOCATIONS[name]!(env)[number]!, { recursive: true });
      expect(await presentAgent(registry, name, env)).toBe(await registry.get(name));
    }
  });
});

describe.each<SessionQuery["index"]>(["none", "fill"])("a search (index: %s)", (index) => {
  it("does not load an agent without files", async () => {
    const home = tempHome();
    writeClaude(home, "needle");
    const client = clientOf(home.path);
    if (index !== "none") await client.sessions.buildIndex();
    const loaded = watchLoads();
    expect(await foundIds(client, "needle", { index })).toEqual([ID]);
    expect(loaded()).toEqual(["claude"]);
  });

  it("finds files an agent created after the last look", async () => {
    const home = tempHome();
    writeClaude(home, "needle");
    const client = clientOf(home.path);
    if (index !== "none") await client.sessions.buildIndex();
    expect(await foundIds(client, "needle", { index })).toEqual([ID]);
    const id = writeCodex(home, "needle");
    expect((await foundIds(client, "needle", { index })).sort()).toEqual([ID, id]);
    home.write(".hermes/memories/MEMORY.md", "a needle to remember");
    expect((await foundIds(client, "needle", { index })).sort()).toEqual([ID, id, "memories/MEMORY.md#1"]);
  });

  it("reports a store that cannot be read", async () => {
    const home = tempHome();
    symlinkSync(".codex", join(home.path, ".codex"));
    let skipped = 0;
    const query = { text: "needle", onSkipped: (files: number) => void (skipped = files), index: index! };
    expect(await clientOf(home.path).sessions.search(query)).toEqual([]);
    expect(skipped).toBeGreaterThan(0);
  });

  it("asks a plug-in that replaced an agent, wherever it keeps its sessions", async () => {
    const client = clientOf(tempHome().path, madeAgent("hermes", [session("a", says("user", "needle"))]));
    expect(await foundIds(client, "needle", { index })).toEqual(["a"]);
  });
});

it("a removed agent's sessions leave the index after the first search that misses them", async () => {
  const home = tempHome();
  writeClaude(home, "needle");
  const id = writeCodex(home, "needle");
  const client = clientOf(home.path);
  expect(await client.sessions.buildIndex()).toMatchObject({ added: 2 });
  rmSync(join(home.path, ".claude"), { recursive: true });
  expect(await foundIds(client, "needle", { index: "fill" })).toEqual([id]);
  await client.sessions.idle();
  expect(await client.sessions.buildIndex()).toMatchObject({ removed: 0, unchanged: 1 });
});
