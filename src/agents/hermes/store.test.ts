import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { makeDatabase } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { homeWith, open, SCHEMA_26 } from "../../../test/support/agents/hermes-store.ts";

function session(id: string, text: string): string {
  return `INSERT INTO sessions(id) VALUES ('${id}'); INSERT INTO messages(session_id, role, content) VALUES ('${id}', 'user', '${text}');`;
}

describe("locations", () => {
  const env = homeWith(session("main", "Hello"));
  const profile = (name: string): string => join(env.home, ".hermes", "profiles", name);
  makeDatabase(join(profile("work"), "state.db"), SCHEMA_26, session("profile", "Hello"), session("main", "A copy"));

  it("include every profile, and a session found twice is the default home's", () => {
    expect(listedIds(history, env).sort()).toEqual(["main", "profile"]);
    expect(open(env, "main").head.title).toBe("Hello");
  });

  it("follow HERMES_HOME, also into a profile", () => {
    const inside: AgentEnv = { ...env, vars: { HERMES_HOME: profile("work") } };
    expect(listedIds(history, inside).sort()).toEqual(["main", "profile"]);
    expect(open(inside, "main").head.title).toBe("A copy");
    const elsewhere: AgentEnv = { ...env, vars: { HERMES_HOME: "~/other" } };
    expect(listedIds(history, elsewhere)).toEqual([]);
    expect(history.sessionDir(elsewhere)).toBe(join(env.home, "other"));
  });

  it("are in the local application data on Windows", () => {
    const windows: AgentEnv = { home: "/u", platform: "win32", vars: { LOCALAPPDATA: "/u/local" } };
    expect(history.roots(windows)).toEqual(["/u/local/hermes/state.db", "/u/local/hermes/sessions"]);
  });

  it("are reported whether they exist or not", () => {
    expect(history.roots({ home: "/nowhere", platform: "linux", vars: {} })).toEqual([
      "/nowhere/.hermes/state.db",
      "/nowhere/.hermes/sessions",
    ]);
  });

  it("count the write-ahead log among a session's files", () => {
    const live = join(import.meta.dirname, "fixtures", "live-home");
    const [source] = history.listSessions({ home: live, platform: "linux", vars: {} }, new ReadNotes());
    expect(source!.files.map((file) => file.path.slice(live.length))).toEqual([
      "/.hermes/state.db",
      "/.hermes/state.db-wal",
    ]);
  });

  it("contain a line file only for a session no database has", () => {
    const both = homeWith(session("known", "In the database"));
    const directory = join(both.home, ".hermes", "sessions");
    mkdirSync(directory);
    for (const id of ["known", "only-here"]) {
      writeFileSync(join(directory, `${id}.jsonl`), '{"role":"user","content":"In a file"}\n');
    }
    expect(listedIds(history, both)).toEqual(["known", "only-here"]);
    expect(open(both, "known").head.title).toBe("In the database");
  });
});

describe("lineage without marks", () => {
  const parent = (reason: string): string =>
    `INSERT INTO sessions(id, session_key, end_reason, ended_at) VALUES ('p', 'k', '${reason}', 1790000050);
     INSERT INTO messages(session_id, role, content, timestamp) VALUES ('p', 'user', 'One', 1790000001), ('p', 'assistant', 'Two', 1790000002);`;
  const child = `
     INSERT INTO sessions(id, parent_session_id, session_key, started_at) VALUES ('c', 'p', 'k', 1790000060);
     INSERT INTO messages(session_id, role, content, timestamp) VALUES ('c', 'user', 'One', 1790000061), ('c', 'assistant', 'Two', 1790000061), ('c', 'user', 'Three', 1790000062);`;

  it("is derived from how the parent ended", () => {
    const relations = ["branched", "compression", "idle", "cli_close"].map((reason) => {
      const { head } = open(homeWith(parent(reason), child), "c");
      return [reason, head.forkedFrom, head.parentId];
    });
    expect(relations).toEqual([
      ["branched", "p", undefined],
      ["compression", "p", undefined],
      ["idle", undefined, undefined],
      ["cli_close", undefined, "p"],
    ]);
  });

  it("finds re-dated copies by their common beginning", () => {
    const messages = [...open(homeWith(parent("branched"), child), "c").reader.messages()];
    expect(messages.map((message) => message.inherited ?? false)).toEqual([true, true, false]);
  });

  it("treats messages older than the branch as copies when the parent is gone", () => {
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id, model_config, started_at) VALUES ('c', '{"_branched_from":"gone"}', 1790000060);
         INSERT INTO messages(session_id, role, content, timestamp) VALUES ('c', 'user', 'One', 1790000001), ('c', 'user', 'Two', 1790000061);`,
      ),
      "c",
    );
    expect([...reader.messages()].map((message) => message.inherited ?? false)).toEqual([true, false]);
  });
});

describe("text that Hermes wrote in the user's name", () => {
  const shown = (content: string): [string, string][] => {
    const env = homeWith(
      `INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', '${content.replaceAll("'", "''")}'), ('s', 'user', 'Real words');`,
    );
    const { head, reader } = open(env, "s");
    expect(head.title).toBe([...reader.messages()].find((message) => message.role === "user")!.content);
    return [...reader.messages()].map((message) => [message.role, message.content]);
  };

  it("is a notice, never a prompt or a title", () => {
    expect(shown("[IMPORTANT: Background process p1 completed (exit code 0).]")[0]![0]).toBe("system");
    expect(shown("[System note: Your previous turn was interrupted]")[0]![0]).toBe("system");
  });

  it("around a scheduled job or a skill is removed from the prompt", () => {
    expect(shown("[IMPORTANT: You are running as a scheduled cron job. DELIVERY: …]\n\nMorning briefing")[0]).toEqual([
      "user",
      "Morning briefing",
    ]);
    const skill =
      '[IMPORTANT: The user has invoked the "work" skill, indicating they want you to follow its instructions.]\n\n# Work\n' +
      "\nThe user has provided the following instruction alongside the skill invocation: fix the leak\n\n[Runtime note: x]";
    expect(shown(skill)[0]).toEqual(["user", "/work fix the leak"]);
  });

  it("may have a prompt after a summary", () => {
    const carrier =
      "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns …\n## Done\n\n--- END OF CONTEXT SUMMARY — respond ---\n\nGo on";
    expect(shown(carrier).slice(0, 2)).toEqual([
      ["system", "## Done"],
      ["user", "Go on"],
    ]);
  });

  it("is not shown at all when Hermes hides it", () => {
    const { reader } = open(
      homeWith(
        session("s", "Hello"),
        "INSERT INTO messages(session_id, role, content, display_kind) VALUES ('s', 'user', 'x', 'hidden')",
      ),
      "s",
    );
    expect([...reader.messages()]).toHaveLength(1);
  });
});

describe("odd rows", () => {
  it("of several parts are read past the NUL they begin with", () => {
    const parts = JSON.stringify([
      { type: "text", text: "Look at this" },
      { type: "image_url", image_url: { url: "x" } },
    ]);
    const { head, reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', char(0) || 'json:' || '${parts}');`,
      ),
      "s",
    );
    expect(head.title).toBe("Look at this [image]");
    expect([...reader.messages()][0]!.content).toBe("Look at this\n[image]");
  });

  it("with cut-off arguments keep their text", () => {
    const calls = JSON.stringify([{ id: "c1", function: { name: "terminal", arguments: '{"command": "ls' } }]);
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s');
         INSERT INTO messages(session_id, role, content, tool_calls) VALUES ('s', 'assistant', NULL, '${calls}'), ('s', 'assistant', 'x', '[{');
         INSERT INTO messages(session_id, role, content, tool_call_id) VALUES ('s', 'tool', '{"output":"","exit_code":2,"error":null}', 'c1');`,
      ),
      "s",
    );
    const [first, second, third] = [...reader.messages()];
    expect(first!.toolCalls).toMatchObject([{ toolName: "terminal", input: '{"command": "ls', isError: true }]);
    expect(second).not.toHaveProperty("toolCalls");
    expect(third!.toolResult).toMatchObject({ toolName: "terminal", isError: true });
  });

  it("of an unknown role are counted, those of old gateways skipped", () => {
    const { reader, notes } = open(
      homeWith(
        session("s", "Hello"),
        "INSERT INTO messages(session_id, role, content) VALUES ('s', 'session_meta', '{}'), ('s', 'oracle', 'x')",
      ),
      "s",
    );
    expect([...reader.messages()]).toHaveLength(1);
    expect([...notes.unknownTypes]).toEqual([["role oracle", 1]]);
  });

  it("of a second compaction do not repeat the first summary or the copies", () => {
    const summary = "[CONTEXT COMPACTION — REFERENCE ONLY] …\n## First";
    const values = (text: string, at: number, active: 0 | 1): string =>
      `('s', 'user', '${text}', ${at}, ${active}, ${1 - active})`;
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s');
         INSERT INTO messages(session_id, role, content, timestamp, active, compacted) VALUES
         ${[
           values("One", 1790000001, 0),
           values("Two", 1790000002, 0),
           values(`[PRIOR CONTEXT — …]\nTwo\n\n[END OF PRIOR CONTEXT — …]\n\n${summary}`, 1790000002, 0),
           values("Three", 1790000003, 0),
           values(`[PRIOR CONTEXT — …]\nTwo\n\n[END OF PRIOR CONTEXT — …]\n\n${summary}`, 1790000002, 1),
           values("Three", 1790000003, 1),
           values("Four", 1790000004, 1),
         ].join(", ")};`,
      ),
      "s",
    );
    expect([...reader.messages()].map((message) => message.content)).toEqual([
      "One",
      "Two",
      "## First",
      "Three",
      "Four",
    ]);
  });

  it("without a mark, from before there were marks, are active", () => {
    const env = homeWith(
      "INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content, active) VALUES ('s', 'user', 'Hello', NULL);",
    );
    const { head, reader } = open(env, "s");
    expect([head.title, [...reader.messages()].length]).toEqual(["Hello", 1]);
  });

  it("without messages and without a bill are not sessions", () => {
    expect(listedIds(history, homeWith("INSERT INTO sessions(id) VALUES ('empty')"))).toEqual([]);
  });
});
