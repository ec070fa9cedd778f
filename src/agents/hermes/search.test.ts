import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv, NativeSearchHit } from "../adapter.ts";
import { treeHash } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import { makeDatabase } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { homeWith, open, SCHEMA_1 } from "../../../test/support/agents/hermes-store.ts";
import { matchExpression, parseQuery } from "./query.ts";
import { note, search, searchNotes } from "./search.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Search {
  text: string;
  match?: string[];
  rawMatch?: string[];
  bestSnippet?: string;
}

interface SearchHome {
  searches?: Search[];
  memorySearch?: { text: string };
}

const { homes } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  homes: Record<string, SearchHome>;
};

function envOf(home: string): AgentEnv {
  return { home: join(FIXTURES, home), platform: "linux", vars: {} };
}

function find(env: AgentEnv, text: string, limit = 50): { hits: NativeSearchHit[]; notes: ReadNotes } {
  const notes = new ReadNotes();
  return { hits: search(env, text, limit, notes), notes };
}

const TWO_SESSIONS = `
  INSERT INTO sessions(id, title) VALUES ('a', 'Naming the lighthouse'), ('b', NULL);
  INSERT INTO messages(session_id, role, content) VALUES ('a', 'user', 'Which names are free?'),
    ('b', 'user', '修改youer服务端的配置'), ('b', 'assistant', 'Done with the configuration');
  INSERT INTO messages(session_id, role, content, active) VALUES ('b', 'user', 'secret undone words', 0);
  INSERT INTO messages(session_id, role, content, display_kind) VALUES ('b', 'user', 'scaffolding words', 'hidden');
`;
const TRIGRAM = `
  CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
  INSERT INTO messages_fts_trigram(rowid, content) SELECT id, content FROM messages;
`;

const recorded = Object.entries(homes).flatMap(([home, { searches = [] }]) =>
  searches.map((expected) => ({ home, ...expected })),
);

describe.each(recorded)("searching $home for $text", ({ home, text, match, rawMatch, bestSnippet }) => {
  const { hits } = find(envOf(home), text);
  const sessions = hits.filter((hit) => !hit.memory);

  it("finds the sessions the index knows, each once", () => {
    expect(sessions.map((hit) => hit.sessionId).sort()).toEqual((match ?? rawMatch ?? []).toSorted());
  });

  it("cites a message of the session", () => {
    for (const { sessionId, messageIndex } of sessions) {
      expect([...open(envOf(home), sessionId).reader.messages()][messageIndex!]).toBeDefined();
    }
  });

  it("shows where the best hit is", () => {
    const marked = bestSnippet?.match(/>>>(.*?)<</)?.[1] ?? "";
    expect((sessions[0]?.snippet ?? "").toLowerCase()).toContain(marked.toLowerCase());
  });
});

it("points a hit in a message repeated by a compaction to the visible message", () => {
  const env = envOf("home");
  const [hit] = find(env, "reservation-expiry everywhere").hits;
  const message = [...open(env, hit!.sessionId).reader.messages()][hit!.messageIndex!]!;
  expect(message.content).toBe("Renamed stock-release to reservation-expiry everywhere.");
});

describe("memory notes", () => {
  it("in the documented table are found, named as memory", () => {
    const { hits } = find(envOf("spec-home"), homes["spec-home"]!.memorySearch!.text);
    expect(hits).toEqual([
      {
        sessionId: "memories/1",
        memory: true,
        score: expect.any(Number),
        snippet: "The user deploys with docker compose on a single host and prefers rollbacks by image tag",
      },
    ]);
    const text = homes["spec-home"]!.memorySearch!.text;
    expect(searchNotes(envOf("spec-home"), text, 50, new ReadNotes())).toEqual(hits);
    expect(note("memories/1", envOf("spec-home"), new ReadNotes())).toMatchObject({ text: hits[0]!.snippet });
    // A memory learnt in a session is read there.
    for (const id of ["memories/2", "memories/9", "memories/x", "1"])
      expect(note(id, envOf("spec-home"), new ReadNotes())).toBeUndefined();
  });

  it("in the flat files are found, after the sessions", () => {
    const { hits } = find(envOf("home"), "orders Q4");
    expect(hits.map((hit) => [hit.sessionId, hit.memory ?? false])).toEqual([
      ["20261005_080208_85969a", false],
      ["memories/MEMORY.md#1", true],
    ]);
  });
});

it("returns a note learnt in a session as a hit of that session, unless the session is found itself", () => {
  const { hits } = find(envOf("spec-home"), "prices");
  expect(hits.map((hit) => [hit.sessionId, hit.memory])).toEqual([["1d9f1f55-3c35-4e0e-a3bd-c8b0d4c7e627", true]]);
  expect(find(envOf("spec-home"), "hour").hits.map((hit) => hit.memory)).toEqual([undefined]);
});

it("finds every entry of a memory file separately", () => {
  const env = homeWith(TWO_SESSIONS);
  mkdirSync(join(env.home, ".hermes", "memories"));
  writeFileSync(
    join(env.home, ".hermes", "memories", "USER.md"),
    "likes tea\n§\nlikes green tea\n§\n\n§\nlikes rain\n",
  );
  expect(find(env, "tea").hits.map((hit) => [hit.sessionId, hit.snippet])).toEqual([
    ["memories/USER.md#1", "likes tea"],
    ["memories/USER.md#2", "likes green tea"],
  ]);
  expect(note("memories/USER.md#3", env, new ReadNotes())?.text).toBe("likes rain");
  expect(note("memories/USER.md#4", env, new ReadNotes())).toBeUndefined();
  expect(listedIds(history, env)).toEqual(["a", "b"]);
});

describe("text that a user types", () => {
  const HARMLESS = [
    "foo-bar", "100%", "it's", "a/b", "C++", '"', '""', "'", "AND", "OR", "NOT", "AND OR NOT", "NOT NOT x", "-", "--", "-x",
    "*", "x*y*", '"unbalanced', 'tail"', "(", ")", "a)", "{a b}", "a:b", "content:checkout", "NEAR(a b)", "a NEAR b", "^a", "a^",
    "+a", "a + b", "\\", "a\0b", "\ud800", "😀", "%_", "; DROP TABLE messages", "日本", "日本語のテキスト", " ", "", "x".repeat(5000),
  ]; // prettier-ignore

  it.each(HARMLESS)("never makes a query fail: %j", (text) => {
    for (const home of ["home", "spec-home", "spec-impl-home"]) {
      const { notes } = find(envOf(home), text);
      expect(notes.skipped).toEqual([]);
    }
  });

  it("is quoted word by word", () => {
    expect(matchExpression(parseQuery('night "dual writes" -test deploy*'))).toBe(
      '(("night" AND "dual writes" AND "deploy" *) NOT ("test"))',
    );
    expect(matchExpression(parseQuery("a OR b NOT c"))).toBe('("a") OR (("b") NOT ("c"))');
    expect(matchExpression(parseQuery('say 5" "'))).toBe('("say" AND "5""")');
    expect(parseQuery("NOT a")).toEqual([]);
  });

  it("is a word of the text, not a column or a table", () => {
    expect(find(envOf("home"), "content:checkout").hits).toEqual([]);
  });
});

it("leaves the store unchanged", () => {
  for (const home of ["home", "live-home", "spec-home"]) {
    const before = treeHash(join(FIXTURES, home));
    find(envOf(home), "checkout");
    expect(treeHash(join(FIXTURES, home))).toBe(before);
  }
});

it("gives at most the requested hits, best first", () => {
  const { hits } = find(envOf("home"), "the", 3);
  expect(hits).toHaveLength(3);
  expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a));
});

describe("an index that cannot answer", () => {
  it("does not contain titles, which are searched beside it", () => {
    expect(find(homeWith(TWO_SESSIONS), "lighthouse").hits.map((hit) => hit.sessionId)).toEqual(["a"]);
  });

  it("holds CJK text as one word, so the trigram index or the text itself is searched", () => {
    for (const env of [homeWith(TWO_SESSIONS), homeWith(TWO_SESSIONS, TRIGRAM)]) {
      for (const text of ["服务端", "修改", "的配置"]) {
        expect(find(env, text).hits.map((hit) => hit.sessionId)).toEqual(["b"]);
      }
    }
  });

  it("is complemented by the trigram index for a part of a word", () => {
    expect(find(homeWith(TWO_SESSIONS), "youer").hits).toEqual([]);
    expect(find(homeWith(TWO_SESSIONS, TRIGRAM), "youer").hits.map((hit) => hit.sessionId)).toEqual(["b"]);
  });

  it("is not used when it is missing, stale or broken", () => {
    const broken = [
      "DROP TABLE messages_fts",
      "INSERT INTO state_meta VALUES ('fts_stale', '1')",
      "DROP TABLE messages_fts; CREATE TABLE messages_fts (content)",
    ];
    for (const damage of broken) {
      const { hits } = find(homeWith(TWO_SESSIONS, damage), "configuration");
      expect(hits.map((hit) => [hit.sessionId, hit.messageIndex])).toEqual([["b", 1]]);
    }
  });

  it("is completed while it is being rebuilt", () => {
    const rebuilding = `
      INSERT INTO messages_fts(messages_fts) VALUES ('delete-all');
      INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '5'), ('fts_rebuild_progress', '0');
      INSERT INTO messages(session_id, role, content) VALUES ('a', 'user', 'a late configuration');
    `;
    const { hits } = find(homeWith(TWO_SESSIONS, rebuilding), "configuration");
    expect(hits.map((hit) => hit.sessionId).sort()).toEqual(["a", "b"]);
  });

  it("does not lead to undone or hidden messages", () => {
    expect(find(homeWith(TWO_SESSIONS), "words").hits).toEqual([]);
  });

  it("does not lose the other databases", () => {
    const env = homeWith(TWO_SESSIONS);
    makeDatabase(
      join(env.home, ".hermes", "profiles", "work", "state.db"),
      SCHEMA_1,
      `
      INSERT INTO sessions(id, source, started_at) VALUES ('old', 'cli', 1771500000);
      INSERT INTO messages(session_id, role, content, timestamp) VALUES ('old', 'user', 'an old configuration', 1771500001);
    `,
    );
    makeDatabase(
      join(env.home, ".hermes", "profiles", "broken", "state.db"),
      "CREATE TABLE sessions (started_at); CREATE TABLE messages (timestamp)",
    );
    const { hits, notes } = find(env, "configuration");
    expect(hits.map((hit) => hit.sessionId).sort()).toEqual(["b", "old"]);
    expect(notes.skipped).toHaveLength(1);
  });
});
