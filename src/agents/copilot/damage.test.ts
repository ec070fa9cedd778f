/** Damage is reported and costs only the damaged part; unusual layouts are still read. */
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentEnv, SessionHead, SessionReader } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, whileLocked, writeIn } from "../../../test/support/agents/made-home.ts";
import { bytesHeldBy } from "../../../test/support/agents/memory.ts";
import { listedHeads, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import copilot from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const ID = "30a6c7fc-c030-45b9-ad3c-9ad58b3ea4e8";
const EVENTS = `.copilot/session-state/${ID}/events.jsonl`;

let home: string;
let env: AgentEnv;
let notes: ReadNotes;

beforeEach(() => {
  env = madeHome();
  home = env.home;
  notes = new ReadNotes();
});

function put(content: string | Buffer, path = EVENTS): void {
  writeIn(env, path, content);
}

function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

const read = (): SessionReader | undefined => readSoleSession(copilot.history, env, notes);
const summarize = (): (SessionHead | undefined)[] => listedHeads(copilot.history, env, notes);

function original(): unknown {
  put(fixture(`home/${EVENTS}`));
  return toldBy(read());
}

describe("a long transcript", () => {
  it("is not kept in memory", () => {
    const event = (type: string, index: number, data: object): string =>
      `${JSON.stringify({ type, data, id: `${type}${index}`, timestamp: "2026-09-01T10:00:00.000Z" })}\n`;
    const turns = Array.from({ length: 12 }, (_, index) => {
      const content = `${index} ${"x".repeat(1_000_000)}`;
      const reply = { messageId: `m${index}`, content, outputTokens: 1 };
      return event("user.message", index, { content }) + event("assistant.message", index, reply);
    });
    put(event("session.start", 0, { sessionId: ID }) + turns.join(""));
    expect(bytesHeldBy(() => read())).toBeLessThan(2_000_000);
    expect([...read()!.messages()]).toHaveLength(24);
  });
});

describe("a damaged transcript", () => {
  it("with garbage, a new type and an event without data reads like the original, and reports them", () => {
    const whole = original();
    put(fixture("damaged/events-garbage.jsonl"));
    expect(toldBy(read())).toEqual(whole);
    expect(notes.damaged).toEqual(new Map([[join(home, EVENTS), 2]]));
    expect([...notes.unknownTypes.keys()]).toEqual(["brand.new_event"]);
  });

  it("with a torn last line lacks only that event", () => {
    put(fixture("damaged/events-truncated.jsonl"));
    const reader = read()!;
    expect([...reader.messages()]).toHaveLength(13);
    expect([...reader.usage()]).toHaveLength(6);
    expect(notes.damagedLines).toBe(0);
  });

  it("that is empty is not a session", () => {
    put(fixture("damaged/events-empty.jsonl"));
    expect(read()).toBeUndefined();
    expect(summarize()).toEqual([undefined]);
    expect(notes.skipped).toEqual([]);
  });

  it("with BOM, CRLF, blank lines and NUL blocks reads like the original", () => {
    const whole = original();
    const lines = fixture(`home/${EVENTS}`).toString("utf8").split("\n");
    const odd = lines.map((line, index) => (index % 4 === 1 ? `\r\n${"\0".repeat(900)}${line}` : line)).join("\r\n");
    put(`\uFEFF${odd}`);
    expect(toldBy(read())).toEqual(whole);
    expect(notes.damagedLines).toBe(0);
  });

  it("whose first lines were written twice shows and bills them once", () => {
    const whole = original();
    const lines = fixture(`home/${EVENTS}`).toString("utf8").split("\n");
    put([...lines.slice(0, 9), ...lines].join("\n"));
    expect(toldBy(read())).toEqual(whole);
  });

  it("without anything readable is a PARSE_ERROR on reading and a skipped file in a list", () => {
    put("nothing here\nis an event\n");
    expect(() => read()).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }) as Error);
    expect(summarize()).toEqual([undefined]);
    expect(notes.skipped).toEqual([
      { path: join(home, EVENTS), reason: `No event in ${join(home, EVENTS)} can be read.` },
    ]);
  });

  it("that was shortened by a rewind while it is read ends early", () => {
    put(fixture(`home/${EVENTS}`));
    const reader = read()!;
    const lines = fixture(`home/${EVENTS}`).toString("utf8").split("\n");
    put(`${lines.slice(0, 9).join("\n")}\n`);
    expect([...reader.messages()].length).toBeLessThan(13);
  });
});

describe("a long transcript", () => {
  it("is listed from its ends as if it were read in full", () => {
    const lines = fixture(`home/${EVENTS}`).toString("utf8").trimEnd().split("\n");
    const filler = Array.from({ length: 200 }, (_, index) =>
      JSON.stringify({
        type: "assistant.message",
        data: { content: "x".repeat(900), model: "claude-sonnet-4.6" },
        id: `f${index}`,
        timestamp: "2026-10-05T12:00:00.000Z",
      }),
    );
    put([...lines.slice(0, 20), ...filler, ...lines.slice(20)].join("\n"));
    expect(summarize()).toEqual([read()!.head]);
  });

  it("finds the first prompt after long instructions", () => {
    const lines = fixture(`home/${EVENTS}`).toString("utf8").trimEnd().split("\n");
    const long = JSON.stringify({ type: "system.message", data: { content: "y".repeat(150_000) }, id: "s" });
    put([lines[0], long, ...lines.slice(1), long].join("\n"));
    expect(summarize()[0]!.title).toBe("Read src/cart.js and tell me if it handles an empty list.");
  });
});

describe("a store directory", () => {
  it("with sessions in both of the event layouts lists each once, folders first", () => {
    put(fixture(`home/${EVENTS}`));
    put(fixture(`home/${EVENTS}`), `.copilot/session-state/${ID}.jsonl`);
    put("", ".copilot/session-state/.session-operation-locks/x.lock");
    put("{}", ".copilot/session-state/not-a-session.jsonl");
    const sources = copilot.history.listSessions(env, notes);
    expect(sources.map((source) => source.path)).toEqual([join(home, EVENTS)]);
  });

  it("with a session that was opened but never prompted does not list it", () => {
    put(`id: ${ID}\n`, `.copilot/session-state/${ID}/workspace.yaml`);
    expect(copilot.history.listSessions(env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([]);
  });

  it("with a directory in place of the events reports it", () => {
    mkdirSync(join(home, EVENTS), { recursive: true });
    expect(copilot.history.listSessions(env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([{ path: join(home, EVENTS), reason: "is a directory" }]);
  });

  it("that does not exist is empty", () => {
    expect(copilot.history.listSessions(env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([]);
  });
});

describe("a broken session-store.db", () => {
  const STORE = ".copilot/session-store.db";

  it("keeps the sessions in files, and is reported", () => {
    put(fixture(`home/${EVENTS}`));
    put("this is no database".repeat(100), STORE);
    expect([...read()!.usage()]).toHaveLength(6);
    expect(notes.skipped).toMatchObject([
      { path: join(home, STORE), reason: expect.stringContaining("database") as string },
    ]);
  });

  it("is not one that Copilot is writing to", () => {
    cpSync(join(FIXTURES, "home"), home, { recursive: true });
    const rested = toldBy(read());
    whileLocked(join(home, STORE), () => expect(toldBy(read())).toEqual(rested));
    expect(notes.skipped).toEqual([]);
  });

  it("that is a directory is reported too", () => {
    put(fixture(`home/${EVENTS}`));
    mkdirSync(join(home, STORE));
    expect(read()).toBeDefined();
    expect(notes.skipped).toEqual([{ path: join(home, STORE), reason: "is a directory" }]);
  });

  it("without the usage table or with fewer columns gives what it has", () => {
    put(fixture(`home/${EVENTS}`));
    makeDatabase(
      join(home, STORE),
      "CREATE TABLE sessions (id TEXT)",
      "CREATE TABLE assistant_usage_events (session_id TEXT, input_tokens INTEGER)",
      `INSERT INTO assistant_usage_events VALUES ('${ID}', 77)`,
    );
    const extra = [...read()!.usage()].filter((record) => record.key.startsWith(ID));
    expect(extra).toMatchObject([{ tokens: { input: 77, output: 0 } }]);
    expect(notes.skipped).toEqual([]);
  });
});

describe("a damaged document", () => {
  const NAME = ".copilot/history-session-state/session_5b728130-7a21-41d4-9dff-1db4fac2551a_1785578402173.json";

  it("is a PARSE_ERROR on reading and skipped in a list, and the others stay", () => {
    cpSync(join(FIXTURES, "home-0.0.340"), home, { recursive: true });
    put(fixture(`home-0.0.340/${NAME}`).subarray(0, 900), NAME);
    const source = copilot.history.listSessions(env, notes).find((item) => item.path === join(home, NAME))!;
    expect(() => copilot.history.read(source, env, notes)).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR" }) as Error,
    );
    expect(summarize().filter((head) => head !== undefined)).toHaveLength(1);
    expect(notes.skipped).toHaveLength(1);
  });

  it("without messages is not a session", () => {
    put("{}", ".config/github-copilot/sessions/x.json");
    expect(summarize()).toEqual([undefined]);
    expect(notes.skipped).toEqual([]);
  });

  it("may be a bare list of messages, with counts", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } };
    const messages = [
      { role: "system", content: "Be nice" },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: "Hello", usage },
    ];
    put(JSON.stringify(messages), ".config/github-copilot/sessions/x.json");
    const reader = read()!;
    expect([...reader.messages()].map((message) => message.content)).toEqual(["Hi", "Hello"]);
    expect([...reader.usage()]).toMatchObject([{ key: "x:2", tokens: { input: 40, cached: 60, output: 5 } }]);
  });
});

describe("workspace.yaml", () => {
  it.each([
    ["a quoted name", "name: 'It''s: quoted'", "It's: quoted"],
    ["an escaped one", 'name: "tab\\there"', "tab here"],
    ["an older version's", "summary: |-\r\n  first line\r\n    second", "first line second"],
    ["none in a list of other facts", "user_named: false\r\nempty:\r\nsummary: said first", "said first"],
  ])("titles the session: %s", (_, yaml, title) => {
    put(fixture(`home/${EVENTS}`));
    put(`id: ${ID}\r\n${yaml}\r\n`, `.copilot/session-state/${ID}/workspace.yaml`);
    expect(summarize()[0]!.title).toBe(title);
  });

  it("that is broken leaves the title to the first prompt", () => {
    put(fixture(`home/${EVENTS}`));
    put("\0\0\0: : :", `.copilot/session-state/${ID}/workspace.yaml`);
    expect(summarize()[0]!.title).toBe("Read src/cart.js and tell me if it handles an empty list.");
  });
});
