import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { tallyOf } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { filesBelow } from "../../lib/fs/directory.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import adapter from "./index.ts";
import { DATABASE, envOf, FIXTURES, list, open, type Opened } from "../../../test/support/agents/opencode-store.ts";
import { IGNORED_PARTS, SHOWN_PARTS } from "../shared/opencode/format.ts";

interface Tokens {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
  thinking: number;
}

interface RecordedSession {
  scenario: string;
  sessionId: string;
  home: string;
  expected: {
    firstPrompt: string;
    userPromptsSent: string[];
    userPromptsVisible?: string[];
    reverted?: string[];
    modelReplies: number;
    replyTexts: string[];
    toolCalls: string[];
    models: string[];
    tokensServed: Tokens;
    ownTokensServed?: Tokens;
    cwd: string;
    title: string;
    parentSessionId?: string | null;
    forkOf?: string;
    created?: number;
    updated?: number;
    costUsd?: number;
    apiErrors?: number[];
    sideCalls?: { kind: string; usage: { in: number; out: number } }[];
  };
  recorded: { jsonCost?: number; database?: { costFromMessages: number } };
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  homes: { path: string }[];
  sessions: RecordedSession[];
};

/** Answers in the manifest that an undo removed. */
const UNDONE_REPLIES = new Set(["You could test negative quantities.", "beta"]);
/** Killed before its usage was written. */
const KILLED = ["o10-waiting-crash", "n06-killed"];
const NO_TOKENS: Tokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, thinking: 0 };
/** Forks whose source the manifest does not name. */
const OTHER_FORKS: Record<string, string> = {
  ses_f5f5a63fbffelpmh6XQQ1uRtLv: "ses_f5fc83f4cffe7z1SLZ7GkKXiT9",
};
/** Cost of the call that was undone, then deleted; only the event log has it. */
const DELETED_USD = 0.02682;

/** Compactions are billed too, though they are not answers. */
function withCompactions({ tokensServed, sideCalls = [] }: RecordedSession["expected"]): Tokens {
  const served = { ...tokensServed };
  for (const { kind, usage } of sideCalls) {
    if (kind !== "compaction") continue;
    served.input += usage.in;
    served.output += usage.out;
  }
  return served;
}

function contents({ messages }: Opened, role: string): string[] {
  return messages.filter((message) => message.role === role).map((message) => message.content);
}

function sums({ usage }: Pick<Opened, "usage">): Tokens & { usd: number } {
  const total = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, thinking: 0, usd: 0 };
  for (const { tokens, reportedMicroUsd } of usage) {
    total.input += tokens.input + tokens.cached + tokens.cacheWrite;
    total.cachedInput += tokens.cached;
    total.cacheWrite += tokens.cacheWrite;
    total.output += tokens.output - tokens.thinking;
    total.thinking += tokens.thinking;
    total.usd += (reportedMicroUsd ?? 0) / 1e6;
  }
  return total;
}

describe.each(manifest.sessions)(
  "$home: $scenario ($sessionId)",
  ({ scenario, sessionId, home, expected, recorded }) => {
    const session = open(envOf(join(FIXTURES, home)), sessionId);

    it("has the recorded title, directory, dates and relations", () => {
      const { title, cwd, createdMs, updatedMs, parentId, forkedFrom, archived } = session.reader.head;
      expect({ title, cwd, createdMs, updatedMs, parentId, forkedFrom, archived }).toEqual({
        title: expected.title,
        cwd: expected.cwd,
        createdMs: expected.created ?? createdMs,
        updatedMs: expected.updated ?? updatedMs,
        parentId: expected.parentSessionId ?? undefined,
        forkedFrom: expected.forkOf ?? OTHER_FORKS[sessionId],
        archived: undefined,
      });
    });

    it("says in the list what it says after reading", () => {
      expect(session.head).toEqual(session.reader.head);
    });

    it("has the prompts that were typed", () => {
      const prompts = contents(session, "user");
      expect(prompts).toEqual(expected.userPromptsVisible ?? expected.userPromptsSent);
      expect(prompts[0]).toBe(expected.firstPrompt);
    });

    it("has the answers that were given, one message for each model call", () => {
      const replies = contents(session, "assistant");
      const visible = expected.replyTexts.filter((text) => !UNDONE_REPLIES.has(text));
      expect(replies.filter((text) => text !== "").map((text) => text.slice(0, 60))).toEqual(visible);
      expect(replies).toHaveLength(expected.modelReplies - (expected.reverted?.length ?? 0));
    });

    it("has the tool calls that were made, each with its result", () => {
      const calls = session.messages.flatMap((message) => message.toolCalls ?? []);
      expect(calls.map((call) => call.toolName)).toEqual(expected.toolCalls);
      const results = session.messages.flatMap((message) => message.toolResult ?? []);
      expect(results.map((result) => result.toolName)).toEqual(KILLED.includes(scenario) ? [] : expected.toolCalls);
    });

    it("names the models", () => {
      const models = session.messages.flatMap((message) => message.model ?? []);
      expect([...new Set(models)]).toEqual(expected.models);
      // A session without an answer names the model that was asked.
      expect(models.length > 0 ? expected.models : ["sonnet-mock"]).toContain(session.head.model);
    });

    it("counts the tokens that were served", () => {
      const { usd: _, ...tokens } = sums(session);
      expect(tokens).toEqual(KILLED.includes(scenario) ? NO_TOKENS : withCompactions(expected));
      const unfinished = session.usage.filter((record) => record.lowerBound);
      expect(unfinished).toHaveLength(KILLED.includes(scenario) ? 1 : 0);
    });

    it("counts as its own only what it did not copy from another session", () => {
      const { usd: _, ...own } = sums({ usage: session.usage.filter((record) => record.copied !== true) });
      expect(own).toEqual(expected.ownTokensServed ?? own);
      expect(session.usage.some((record) => record.copied)).toBe(session.head.forkedFrom !== undefined);
    });

    it("includes the cost OpenCode wrote", () => {
      const deleted = scenario === "o08-tui-undo-compact" ? DELETED_USD : 0;
      const said = expected.costUsd ?? recorded.jsonCost ?? recorded.database!.costFromMessages;
      expect(sums(session).usd).toBeCloseTo(said + deleted, 9);
    });

    it("shows errors as system messages", () => {
      const errors = contents(session, "system").filter((content) => content.startsWith("APIError: "));
      expect(errors).toHaveLength(expected.apiErrors?.length ?? 0);
    });
  },
);

describe("the documented tables", () => {
  const documented = JSON.parse(readFileSync(join(FIXTURES, "documented", "MANIFEST.json"), "utf8")).homes["spec-home"];
  const env = envOf(join(FIXTURES, "documented", "spec-home"));

  it.each(documented.sessions as Record<string, unknown>[])("give session $sessionId", (expected) => {
    const session = open(env, expected["sessionId"] as string);
    const { head } = session;
    const tally = tallyOf(session.reader);
    const calls = session.messages.flatMap((message) => message.toolCalls ?? []);
    const { input, cachedInput, output, thinking, usd } = sums(session);
    expect(head).toEqual(session.reader.head);
    expect({
      title: head.title,
      cwd: head.cwd,
      model: head.model,
      createdAt: head.createdMs,
      updatedAt: head.updatedMs,
      firstPrompt: contents(session, "user")[0],
      turnCount: tally.turnCount,
      messageCount: tally.messageCount,
      tokens: { input: input - cachedInput, output: output + thinking, thinking, cached: cachedInput },
      costUsd: usd === 0 ? null : Number(usd.toFixed(9)),
      forkedFrom: head.forkedFrom ?? null,
      toolCalls: calls.map((call) => {
        return { name: call.toolName, hasResult: call.output !== undefined, durationMs: call.durationMs };
      }),
    }).toEqual(
      Object.fromEntries(Object.entries(expected).filter(([key]) => !/^(sessionId|unifiedId|paths)$/.test(key))),
    );
    expect(head.parentId).toBeUndefined();
  });

  it("mark what a fork copied, under the ids of its source", () => {
    const fork = open(env, "745975c9-2e59-492a-afef-b8f8d482318c");
    const source = open(env, fork.head.forkedFrom!);
    expect(fork.messages.every((message) => message.inherited)).toBe(true);
    expect(fork.usage.every((record) => record.copied)).toBe(true);
    expect(fork.usage.map((record) => record.key)).toEqual(source.usage.map((record) => record.key));
  });
});

describe("every kind of record in the recordings is known or ignored on purpose", () => {
  /** Tables that hold no part of a conversation. `credential` and `account` hold secrets and are never read. */
  const IGNORED_TABLES = [
    "__drizzle_migrations",
    "account",
    "account_state",
    "control_account",
    "credential",
    "data_migration",
    "event_sequence",
    "migration",
    "permission",
    "project",
    "project_directory",
    "session_context_epoch",
    "session_input",
    "session_share",
    "todo",
    "workspace",
  ];
  const READ_TABLES = ["session", "message", "part", "event", "session_message", "sessions", "messages", "tool_calls"];
  const READ_EVENTS = ["message.removed.1", "message.updated.1"];
  const IGNORED_EVENTS = ["message.part.updated.1", "session.created.1", "session.updated.1"];
  const databases = ["home", "home-1.18.33", "home-wal", "home-1.1.65-to-1.2.27", "documented/spec-home"];

  it.each(databases)("tables, events and parts of %s", (home) => {
    withDatabase(join(FIXTURES, home, DATABASE), (database) => {
      const names = (sql: string): unknown[] => database.all(sql).map((row) => row["name"]);
      for (const table of names("SELECT name FROM sqlite_master WHERE type = 'table'")) {
        expect([...READ_TABLES, ...IGNORED_TABLES]).toContain(table);
      }
      const types = database.hasTable("event") ? names("SELECT DISTINCT type AS name FROM event") : [];
      for (const type of types) expect([...READ_EVENTS, ...IGNORED_EVENTS]).toContain(type);
      const parts = database.hasTable("part")
        ? names("SELECT DISTINCT json_extract(data, '$.type') AS name FROM part")
        : [];
      for (const type of parts) expect([...SHOWN_PARTS, ...IGNORED_PARTS]).toContain(type);
    });
  });

  it.each(["home", "home-0.5.29", "home-1.1.65", "home-1.1.65-to-1.2.27"])("files of %s", (home) => {
    const data = join(FIXTURES, home, ".local", "share", "opencode");
    const kinds = [
      /^storage\/(session|message)\/[^/]+\/[^/]+\.json$/,
      /^storage\/part\/[^/]+\/[^/]+\.json$/,
      /^project\/[^/]+\/storage\/session\/(info\/|message\/[^/]+\/|part\/[^/]+\/[^/]+\/)[^/]+\.json$/,
    ];
    const ignored = [
      /^opencode\.db$/,
      /^storage\/(session_diff|project)\/[^/]+\.json$/,
      /^(project\/[^/]+\/)?storage\/migration$/,
      /^project\/[^/]+\/app\.json$/,
      /^tool-output\//,
    ];
    const names = [...filesBelow(data, () => true)].map(({ path }) => path.slice(data.length + 1));
    expect(names.filter((name) => ![...kinds, ...ignored].some((pattern) => pattern.test(name)))).toEqual([]);
  });

  it("and reading them all finds nothing unknown, damaged or skipped", () => {
    const notes = new ReadNotes();
    for (const home of [...manifest.homes.map(({ path }) => path), "documented/spec-home"]) {
      const env = envOf(join(FIXTURES, home));
      for (const id of list(env, notes).keys()) open(env, id, notes);
    }
    expect({ ...notes }).toEqual({ ...new ReadNotes() });
  });
});

describe("starting OpenCode on a session", () => {
  it("resumes and forks by its real options", () => {
    expect(adapter.launch.resume("ses_1")).toEqual(["opencode", "--session", "ses_1"]);
    expect(adapter.launch.fork("ses_1")).toEqual(["opencode", "--session", "ses_1", "--fork"]);
  });
});

for (const { path } of manifest.homes) {
  const sessions = manifest.sessions.filter((session) => session.home === path).length;
  conformance(adapter, { home: join(FIXTURES, path), sessions });
}
conformance(adapter, { home: join(FIXTURES, "documented", "spec-home"), sessions: 4 });
