import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { ReadNotes } from "../read-notes.ts";
import claude from "./index.ts";
import { encodeCwd } from "./locations.ts";

describe("the session directory", () => {
  it("encodes a working directory as the program does", () => {
    expect(encodeCwd("/home/user/dev/my.proj_v2 (ünï)")).toBe("-home-user-dev-my-proj-v2---n--");
    const long = `/home/user/${"deep/".repeat(50)}end`;
    expect(encodeCwd(long)).toMatch(/^-home-user-(?:deep-)+.*-[0-9a-z]+$/);
    expect(encodeCwd(long).length).toBeLessThan(210);
  });

  it("follows CLAUDE_CONFIG_DIR, and looks in both default directories without it", () => {
    const home = tempHome();
    const record = (id: string): string =>
      `${JSON.stringify({ type: "user", uuid: id, parentUuid: null, sessionId: id, timestamp: "2026-01-01T00:00:00Z", message: { content: "hello" } })}\n`;
    const ids = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
    home.write(`.claude/projects/-a/${ids[0]}.jsonl`, record(ids[0]!));
    home.write(`.config/claude/projects/-b/${ids[1]}.jsonl`, record(ids[1]!));
    home.write(`elsewhere/projects/-c/${ids[2]}.jsonl`, record(ids[2]!));
    const list = (vars: Record<string, string>): string[] =>
      claude.history
        .listSessions({ home: home.path, platform: "linux", vars }, new ReadNotes())
        .map((source) => source.sessionId);
    expect(list({})).toEqual([ids[0], ids[1]]);
    expect(list({ CLAUDE_CONFIG_DIR: join(home.path, "elsewhere") })).toEqual([ids[2]]);
    expect(list({ CLAUDE_CONFIG_DIR: "~/elsewhere" })).toEqual([ids[2]]);
    expect(list({ CLAUDE_CONFIG_DIR: "" })).toEqual([ids[0], ids[1]]);
  });

  it("is empty, without an error, where the agent was never used", () => {
    const home = tempHome();
    const notes = new ReadNotes();
    expect(claude.history.listSessions({ home: home.path, platform: "darwin", vars: {} }, notes)).toEqual([]);
    expect(notes.skippedCount).toBe(0);
  });

  it("is below the profile on Windows too", () => {
    const dir = claude.history.sessionDir({ home: "/c/Users/me", platform: "win32", vars: {} }, "/c/work");
    expect(dir).toBe("/c/Users/me/.claude/projects/-c-work");
  });
});
