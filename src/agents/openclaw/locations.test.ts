/** Which installs are read, and how their sessions are distinguished. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { madeHome } from "../../../test/support/agents/made-home.ts";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";
import { history } from "./history.ts";
import openclaw from "./index.ts";

const FILES = join(FIXTURES, "home-2026.5.7", ".openclaw");
const FILE_SESSIONS = 9;
const MAIN = "c839e6a3-e699-427d-9425-95d18a82d63a";

let home: string;

beforeEach(() => {
  home = madeHome().home;
});

function install(name: string, from = FILES): string {
  const path = join(home, name);
  cpSync(from, path, { recursive: true });
  return path;
}

describe("state directories", () => {
  it.each([".openclaw", ".clawdbot", ".moltbot", ".moldbot", ".openclaw-work"])("%s is read", (name) => {
    install(name);
    expect(openHome(home).ids).toHaveLength(FILE_SESSIONS);
  });

  it("that hold the same sessions, or are links to one another, give each once", () => {
    install(".openclaw");
    install(".moltbot");
    symlinkSync(".openclaw", join(home, ".clawdbot"));
    const opened = openHome(home);
    expect(opened.ids).toHaveLength(FILE_SESSIONS);
    expect(opened.sources.every(({ path }) => path.startsWith(join(home, ".openclaw/")))).toBe(true);
    expect(opened.notes.skipped).toEqual([]);
  });

  it.each(["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"])("set by %s stand alone", (variable) => {
    install(".clawdbot");
    const moved = install("elsewhere/state");
    expect(openHome(home, { [variable]: moved }).sources[0]!.path).toContain(moved);
    expect(openHome(home, { [variable]: "~/elsewhere/state" }).ids).toHaveLength(FILE_SESSIONS);
    expect(openHome(home, { [variable]: "~/nothing" }).ids).toEqual([]);
  });

  it("are looked for below OPENCLAW_HOME", () => {
    install("other/.openclaw");
    expect(openHome(home, { OPENCLAW_HOME: join(home, "other") }).ids).toHaveLength(FILE_SESSIONS);
  });

  it("that do not exist give no sessions and no errors", () => {
    const opened = openHome(home);
    expect(opened.ids).toEqual([]);
    expect(opened.notes.skipped).toEqual([]);
  });

  it("are listed for watchers, and the one in use as the place of sessions", () => {
    const env = { home: "/h", platform: "linux" as const, vars: {} };
    expect(history.roots(env).slice(0, 4)).toEqual([
      "/h/.openclaw/agents",
      "/h/.openclaw/sessions",
      "/h/.clawdbot/agents",
      "/h/.clawdbot/sessions",
    ]);
    expect(history.sessionDir(env)).toBe("/h/.openclaw/agents");
    expect(history.sessionDir({ ...env, vars: { OPENCLAW_PROFILE: "work" } })).toBe("/h/.openclaw-work/agents");
    expect(history.sessionDir({ ...env, vars: { OPENCLAW_PROFILE: "../up" } })).toBe("/h/.openclaw/agents");
  });
});

describe("a session of a profile", () => {
  it("is resumed in that profile", () => {
    install(".openclaw-work");
    const source = openHome(home).sources.find(({ sessionId }) => sessionId === MAIN)!;
    expect(openclaw.launch.resume(MAIN, source)).toEqual([
      "openclaw",
      "--profile",
      "work",
      "resume",
      "agent:main:main",
    ]);
  });
});

describe("the same session", () => {
  it("in the database and as a leftover file is read from the database", () => {
    install(".openclaw", join(FIXTURES, "home", ".openclaw"));
    const sessions = join(home, ".openclaw/agents/main/sessions");
    mkdirSync(sessions);
    cpSync(join(FILES, "agents/main/sessions/demo-1.jsonl"), join(sessions, "demo-1.jsonl"));
    const { sources } = openHome(home);
    expect(sources.filter(({ sessionId }) => sessionId.startsWith("demo-1")).map(({ path }) => path)).toEqual([
      join(home, ".openclaw/agents/main/agent/openclaw-agent.sqlite"),
    ]);
  });

  it("that was imported is read from the original when the database is lost", () => {
    const imported = join(home, ".openclaw/agents/main/session-sqlite-import-archive");
    mkdirSync(imported, { recursive: true });
    cpSync(
      join(FILES, "agents/main/sessions/demo-1.jsonl"),
      join(imported, "agent_main_explicit_demo-1.demo-1.jsonl.imported-1794707550263"),
    );
    expect(openHome(home).ids).toEqual(["demo-1"]);
  });
});

describe("two sessions of one chosen id", () => {
  it("in two agents or profiles are both listed", () => {
    for (const agent of [".openclaw/agents/main", ".openclaw/agents/ops", ".openclaw-work/agents/main"]) {
      mkdirSync(join(home, agent, "sessions"), { recursive: true });
      cpSync(join(FILES, "agents/main/sessions/demo-1.jsonl"), join(home, agent, "sessions/demo-1.jsonl"));
    }
    expect(openHome(home).ids).toEqual(["demo-1", "demo-1@ops", "demo-1@work/main"]);
  });

  it("in two channels of the documented layout are both listed", () => {
    const opened = openHome(join(FIXTURES, "home-documented"));
    expect(opened.ids).toEqual(["empty", "order-42", "order-42@telegram", "torn"]);
  });
});

describe("an agents directory", () => {
  it("may hold stray files", () => {
    install(".openclaw");
    writeFileSync(join(home, ".openclaw/agents/README"), "hello");
    const opened = openHome(home);
    expect(opened.ids).toHaveLength(FILE_SESSIONS);
    expect(opened.notes.skipped).toEqual([]);
  });
});
