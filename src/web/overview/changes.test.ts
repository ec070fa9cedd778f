import { describe, expect, it } from "vitest";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { changesSince, type World } from "./changes.ts";

const SINCE = "2026-03-01T12:00:00Z";
const at = (minutes: number): string => new Date(Date.parse(SINCE) + minutes * 60_000).toISOString();

function session(id: string, fields: Partial<MuxSession>): MuxSession {
  const created_at = at(-600);
  return {
    id,
    created_at,
    started_at: created_at,
    command: ["x"],
    cwd: "/dev/shop",
    kind: "claude",
    alive: true,
    title: id,
    status: null,
    unread: false,
    stale: false,
    ...fields,
  };
}

function moved(id: string, updated_at: string): World["moved"][number] {
  return { unified_id: id, agent: "claude", title: id, created_at: at(-600), updated_at, is_new: false };
}

const said = (world: Partial<World>): string[] =>
  changesSince(SINCE, { sessions: [], attention: [], moved: [], ...world }).map(({ kind, key }) => `${kind} ${key}`);

describe("changes since the last visit", () => {
  it("are what began, ended, failed or waits since then, newest first", () => {
    const sessions = [
      session("old", {}),
      session("new", { started_at: at(1) }),
      session("over", { alive: false, exited_at: at(2), exit_code: 0 }),
      session("broken", { alive: false, exited_at: at(3), exit_code: 3 }),
      session("over-before", { alive: false, exited_at: at(-2), exit_code: 0 }),
      session("asking", {}),
    ];
    const attention = [
      { session_id: "asking", title: "", agent: "", reason: "question", since: at(4), cwd: "" } as const,
    ];
    expect(said({ sessions, attention })).toEqual(["needs asking", "failed broken", "ended over", "started new"]);
  });

  it("include updated conversations, each only once", () => {
    const sessions = [session("over", { alive: false, exited_at: at(2), resume_key: "1" })];
    const all = [moved("claude:1", at(2)), moved("claude:2", at(1)), moved("claude:3", at(-1))];
    expect(said({ sessions, moved: all })).toEqual(["ended over", "moved claude:2"]);
  });
});
