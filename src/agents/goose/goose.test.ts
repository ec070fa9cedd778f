import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { copiedHome, makeDatabase, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedHeads, listedIds, readSession } from "../../../test/support/agents/reading.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import goose from "./index.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const DATABASE = ".local/share/goose/sessions/sessions.db";
const made: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const [CART, FORK, BUILD, SUBAGENT] = ["20261101_1", "20261101_2", "20261102_1", "20261102_2"];

conformance(goose, { home: HOME, sessions: 4 });

it("is marked as experimental wherever its name is shown", () => {
  expect(goose.displayName).toBe("Goose (experimental)");
});

describe("a session", () => {
  it("has its calls with their results, also of messages of the user", () => {
    const messages = [...readSession(goose.history, made, CART).reader.messages()];
    expect(messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool", "assistant"],
    ]);
    expect(messages[1]).toMatchObject({
      thinking: "The cart is in src/cart.ts, so I read it first.",
      toolCalls: [
        { toolCallId: "call_1", output: "export const total = (items) => items.length" },
        { toolCallId: "call_2", input: { command: "npm test" }, isError: true },
      ],
    });
    expect(messages[5]!.images).toHaveLength(1);
    expect(messages[7]!.toolResult).toMatchObject({ isError: true, output: "The old text was not found in the file" });
  });

  it("is billed by its sums, and one without sums is unknown", () => {
    expect([...readSession(goose.history, made, CART).reader.usage()]).toMatchObject([
      { key: CART, model: "claude-sonnet-4-5", tokens: { input: 8400, output: 260 } },
    ]);
    const { reader } = readSession(goose.history, made, SUBAGENT);
    expect(reader.head.usageUnknown).toBe(true);
    expect([...reader.usage()]).toEqual([]);
  });

  it("without a name has its first prompt, and a summary is no prompt", () => {
    const { reader } = readSession(goose.history, made, BUILD);
    expect(reader.head).toMatchObject({
      title: "Why is the build slow on this machine?",
      cwd: "/home/user/dev/größe",
      createdMs: Date.parse("2026-11-02T08:00:00.250Z"),
    });
    expect([...reader.messages()][2]).toMatchObject({ role: "system" });
  });

  it("has times in UTC, as SQLite writes them", () => {
    expect(readSession(goose.history, made, CART).reader.head.createdMs).toBe(Date.parse("2026-11-01T10:00:00Z"));
  });

  it("that is a fork has the first message of its original", () => {
    const sources = goose.history.listSessions(made, new ReadNotes());
    const family = [CART, FORK].map((id) => {
      const source = sources.find(({ sessionId }) => sessionId === id)!;
      return { source, head: goose.history.summarize(source) };
    });
    expect(family[0]!.head.familyKeys).toEqual(family[1]!.head.familyKeys);
    expect(goose.history.lineage!(family)).toEqual(new Map([[FORK, CART]]));
  });
});

describe("the database", () => {
  it("of an older version may lack columns", () => {
    const env = copiedHome(HOME);
    makeDatabase(
      join(env.home, DATABASE),
      "ALTER TABLE sessions DROP COLUMN name; UPDATE sessions SET description = 'Described'",
      "ALTER TABLE messages DROP COLUMN message_id; ALTER TABLE messages DROP COLUMN metadata_json",
    );
    const heads = listedHeads(goose.history, env, new ReadNotes());
    expect(heads.map((head) => head?.title)).toEqual(["Described", "Described", "Described", "Described"]);
    expect(heads[0]).not.toHaveProperty("familyKeys");
    expect([...readSession(goose.history, env, BUILD!).reader.messages()]).toHaveLength(5);
  });

  it("with a message that is no JSON gives the others", () => {
    const env = copiedHome(HOME);
    makeDatabase(join(env.home, DATABASE), "UPDATE messages SET content_json = '[{' WHERE message_id = 'msg_c2'");
    const notes = new ReadNotes();
    const source = goose.history.listSessions(env, notes).find(({ sessionId }) => sessionId === BUILD)!;
    expect([...goose.history.read(source, env, notes)!.messages()]).toHaveLength(4);
    expect(notes.damagedLines).toBe(1);
  });

  it("that is none, or has other tables, is skipped with the reason", () => {
    const env = copiedHome(HOME);
    writeIn(env, DATABASE, "not a database");
    const notes = new ReadNotes();
    expect(goose.history.listSessions(env, notes)).toEqual([]);
    expect(notes.skipped).toHaveLength(1);
    const other = { ...env, vars: { GOOSE_PATH_ROOT: "~/other" } };
    makeDatabase(join(env.home, "other/data/sessions/sessions.db"), "CREATE TABLE sessions (id TEXT)");
    expect(goose.history.listSessions(other, notes)).toEqual([]);
    expect(notes.skipped.at(-1)!.reason).toContain("no tables");
  });

  it("is where the variables and the platform say", () => {
    expect(listedIds(goose.history, { ...made, vars: { XDG_DATA_HOME: join(HOME, ".local/share") } })).toHaveLength(4);
    expect(goose.history.roots({ home: "/u", platform: "win32", vars: { APPDATA: "/u/roaming" } })).toEqual([
      "/u/roaming/Block/goose/data/sessions/sessions.db",
    ]);
  });
});

it("is resumed and forked by its id", () => {
  const source = goose.history.listSessions(made, new ReadNotes())[0]!;
  expect(goose.launch.resume(CART!)).toEqual(["goose", "session", "--resume", "--session-id", CART]);
  expect(goose.launch.fork(CART!)).toContain("--fork");
  expect(source.path).toBe(join(HOME, DATABASE));
});
