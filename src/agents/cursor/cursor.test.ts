import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { tallyOf } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import cursor from "./index.ts";
import { open } from "../../../test/support/agents/cursor-chat.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Recorded {
  base?: string;
  sessionId: string;
  storage: string;
  paths: string[];
  mustNotBeListed?: boolean;
  title?: string;
  titleStored?: string | null;
  cwd?: string;
  model?: string | null;
  createdAt?: number;
  updatedAt?: number;
  firstPrompt?: string | null;
  turnCount?: number;
  messageCount?: number;
  visible?: Record<string, number>;
  toolCalls?: { id?: string; name: string; hasResult?: boolean; isError?: boolean }[];
  thinking?: string[];
  lastAssistantText?: string;
  parent?: string;
  tokens?: { input: number; output: number; thinking?: number; cached?: number };
  userMessageTimesMs?: number[];
}

interface Manifest {
  sessions: Recorded[];
  searches: { base: string; text: string; match: string[] }[];
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as Manifest;
const listed = manifest.sessions.filter((session) => !session.mustNotBeListed);
const real = listed.filter((session) => session.base === undefined);

function envOf(home = "home"): AgentEnv {
  return { home: join(FIXTURES, home), platform: "linux", vars: {} };
}

const textOf = (message: SessionMessage): string =>
  [message.content, ...(message.toolCalls ?? []).map((call) => JSON.stringify(call.input))].join("\n");

/** Only the parts that the manifest describes. */
function expected<T extends object>(parts: T): Partial<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Partial<T>;
}

describe.each(listed)("$storage, $sessionId", (session) => {
  const { head, reader, notes } = open(envOf(session.base), session.sessionId);
  const messages = [...reader.messages()];
  const replies = messages.filter((message) => message.role === "assistant");
  const calls = replies.flatMap((message) => message.toolCalls ?? []);
  const count = (role: string): number => messages.filter((message) => message.role === role).length;

  it("has the recorded head", () => {
    expect(head).toMatchObject(
      expected({
        title: session.title,
        cwd: session.cwd,
        model: session.model ?? undefined,
        createdMs: session.createdAt,
        updatedMs: session.updatedAt,
        parentId: session.parent,
      }),
    );
    expect("model" in head).toBe(typeof session.model === "string");
  });

  it("has the recorded conversation", () => {
    const { turnCount, messageCount } = tallyOf(reader);
    expect({ turnCount, messageCount }).toMatchObject(
      expected({ turnCount: session.turnCount, messageCount: session.messageCount }),
    );
    const roles = { user: count("user"), assistant: count("assistant"), tool: count("tool"), system: count("system") };
    expect(roles).toMatchObject({ ...session.visible, system: 0 });
    expect(messages[0]?.content ?? null).toBe(session.firstPrompt);
    expect(replies.at(-1)?.content).toBe(session.lastAssistantText ?? replies.at(-1)?.content);
  });

  it("has the recorded calls and thoughts", () => {
    const recorded = session.toolCalls ?? [];
    expect(calls.map((call) => call.toolName).slice(0, recorded.length)).toEqual(recorded.map((call) => call.name));
    for (const [index, { id, isError, hasResult }] of recorded.entries()) {
      const { toolCallId, isError: failed = false, output } = calls[index]!;
      expect([toolCallId, failed, output !== undefined || !hasResult]).toEqual([
        id ?? toolCallId,
        isError ?? false,
        true,
      ]);
    }
    const thoughts = replies.map((message) => message.thinking).filter((thought) => thought !== undefined);
    expect(thoughts).toEqual(session.thinking ?? []);
  });

  it("is read without a note", () => {
    expect({ skipped: notes.skipped, unknown: notes.unknownTypes.size, damaged: notes.damagedLines }).toEqual({
      skipped: [],
      unknown: 0,
      damaged: 0,
    });
  });
});

describe("what Cursor writes", () => {
  it.each(real)("never bills anything: $sessionId", ({ sessionId }) => {
    const { head, reader } = open(envOf(), sessionId);
    expect(head.usageUnknown).toBe(true);
    expect([...reader.usage()]).toEqual([]);
  });

  it("lists a chat once, even with a store and a transcript", () => {
    const ids = listedIds(history, envOf());
    expect(ids.filter((id) => id === "ecdb83c2-19e1-4e9f-ae46-719eea89905b")).toHaveLength(1);
    expect(ids.toSorted()).toEqual(real.map((session) => session.sessionId).toSorted());
  });

  it("does not list a chat that was opened and never used, nor an empty one of the IDE", () => {
    const unused = manifest.sessions.filter((session) => session.mustNotBeListed).map((session) => session.sessionId);
    expect(unused).toHaveLength(1);
    for (const id of [...unused, "19d4cce4-4c32-4ac5-a951-ff19122ab347"])
      expect(listedIds(history, envOf())).not.toContain(id);
  });

  it("dates messages by its turns", () => {
    const session = real.find((candidate) => candidate.userMessageTimesMs);
    const messages = [...open(envOf(), session!.sessionId).reader.messages()];
    const times = messages.filter((message) => message.role === "user").map((message) => message.timestamp?.getTime());
    expect(times).toEqual(session!.userMessageTimesMs);
  });

  it("keeps the key for its blobs private", () => {
    const raw = JSON.stringify(open(envOf(), "ecdb83c2-19e1-4e9f-ae46-719eea89905b").reader.raw());
    expect(raw).not.toContain("blobEncryptionKey");
    expect(raw).toContain("Flaky checkout test");
  });

  it("counts only the last reply of a turn in the IDE: shown on the message, never billed", () => {
    const session = real.find((candidate) => candidate.tokens);
    const { reader } = open(envOf(), session!.sessionId);
    const sum = { input: 0, output: 0 };
    for (const { tokenUsage } of reader.messages()) {
      sum.input += tokenUsage?.inputTokens ?? 0;
      sum.output += tokenUsage?.outputTokens ?? 0;
    }
    expect(sum).toEqual(session!.tokens);
  });
});

describe("the documented database", () => {
  const documented = listed.filter((session) => session.titleStored !== undefined);

  it.each(documented)("bills the tokens of $sessionId, and no dollars", ({ base, sessionId, tokens, turnCount }) => {
    const { head, reader } = open(envOf(base), sessionId);
    const sum = { input: 0, output: 0, thinking: 0, cached: 0 };
    for (const record of reader.usage()) {
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += record.tokens[key];
      expect(record.reportedMicroUsd).toBeUndefined();
      expect(record.model).toBe("cursor-fast");
    }
    expect(sum).toEqual(tokens);
    expect(head.usageUnknown).toBeUndefined();
    expect([...reader.usage()].length > 0).toBe(turnCount! > 0);
  });

  it("has whole numbers or UUIDs for ids", () => {
    expect(listedIds(history, envOf("spec-home"))).toEqual(["41", "42", "43"]);
    expect(listedIds(history, envOf("spec-home-uuid"))).toHaveLength(2);
  });
});

it.each(manifest.searches)("finds $text in its message", ({ base, text, match }) => {
  const found = listedIds(history, envOf(base)).filter((id) =>
    [...open(envOf(base), id).reader.messages()].some((message) => textOf(message).includes(text)),
  );
  expect(found.toSorted()).toEqual(match.toSorted());
});

it("can resume what the CLI has stored, and cannot fork", () => {
  const sources = cursor.history.listSessions(envOf(), new ReadNotes());
  const resumable = sources.map((source) => cursor.launch.resume(source.sessionId, source)).filter(Boolean);
  expect(resumable.toSorted()).toEqual([
    ["cursor-agent", "--resume", "626779b5-8c61-447c-a61e-99b2191cd13d"],
    ["cursor-agent", "--resume", "8e062082-1f84-42b4-abef-ea1628547cb2"],
    ["cursor-agent", "--resume", "ecdb83c2-19e1-4e9f-ae46-719eea89905b"],
  ]);
  expect(cursor.capabilities).toEqual({ canResume: true, canFork: false, sessionPersistence: "sqlite" });
});

describe("the tables of the recordings", () => {
  const READ = new Set(["blobs", "meta", "cursorDiskKV", "ItemTable", "sessions", "messages"]);
  /** Which model wrote which line of code; the chat itself names the model it used last. */
  const IGNORED = new Set(["ai_code_hashes"]);

  it.each([
    "home/.cursor/acp-sessions/8c8f2c7d-e5ff-46d5-ac7e-6ae7d70fa2aa/store.db",
    "home/.cursor/ai-tracking/ai-code-tracking.db",
    "home/.config/Cursor/User/globalStorage/state.vscdb",
    "home/.config/Cursor/User/workspaceStorage/4f2a9c0d1e3b5a7798c6d4e2f0a1b3c5/state.vscdb",
    "spec-home/.cursor/sessions/sessions.db",
  ])("are all known: %s", (path) => {
    const tables = withDatabase(join(FIXTURES, path), (database) =>
      database.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"),
    ).map((row) => String(row["name"]));
    expect(tables.filter((table) => !READ.has(table) && !IGNORED.has(table))).toEqual([]);
  });
});

conformance(cursor, { home: join(FIXTURES, "home"), sessions: 9 });
conformance(cursor, { home: join(FIXTURES, "spec-home"), sessions: 3 });
conformance(cursor, { home: join(FIXTURES, "spec-home-uuid"), sessions: 2 });
conformance(cursor, { home: join(FIXTURES, "spec-impl-home"), sessions: 1 });
