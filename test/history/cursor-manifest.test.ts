/** The Cursor chats of the fixtures: recorded layouts and documented ones. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { expectFound } from "./recorded-home.ts";
import { createClient } from "../../src/index.ts";
import {
  saidTwice,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  NO_TOKENS,
  openRecordedHome,
  type RecordedHome,
} from "./recorded-home.ts";

interface Expected {
  sessionId: string;
  base?: string;
  storage: string;
  mustNotBeListed?: boolean;
  title?: string;
  cwd?: string;
  model?: string | null;
  createdAt?: number;
  updatedAt?: number;
  parent?: string;
  firstPrompt: string | null;
  turnCount?: number;
  messageCount?: number;
  visible?: { user: number; assistant: number; tool: number };
  toolCalls?: { name: string }[];
  thinking?: string[];
  lastAssistantText?: string;
  tokens?: { input: number; output: number; thinking?: number; cached?: number };
}

interface Manifest {
  homes: string[];
  sessions: Expected[];
  searches: { base: string; text: string; match: string[] }[];
}

const manifest = manifestOf("cursor") as Manifest;
const FIXTURES = fixturesOf("cursor");

function pick(from: object, keys: string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}

describe.each(manifest.homes)("%s", (path) => {
  const recorded = manifest.sessions.filter(({ base = "home" }) => base === path);
  const sessions = recorded.filter((session) => !session.mustNotBeListed);
  let home: RecordedHome;

  beforeAll(async () => {
    home = await openRecordedHome("cursor", join(FIXTURES, path));
  });

  it("lists every conversation once, and nothing else", () => {
    expect([...home.rows.keys()].sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
  });

  it.each(sessions)("$sessionId ($storage) has its content", async (expected) => {
    const { sessionId } = expected;
    const row = home.rows.get(sessionId)!;
    const { messages } = await home.session(sessionId);
    const count = (role: string): number => messages.filter((message) => message.role === role).length;
    const told = {
      title: row.title,
      cwd: row.cwd,
      model: row.model ?? null,
      parent: row.parentId,
      createdAt: Date.parse(String(row.createdAt)),
      updatedAt: Date.parse(String(row.updatedAt)),
      firstPrompt: messages.find((message) => message.role === "user")?.content ?? null,
      turnCount: row.turnCount,
      messageCount: row.messageCount,
      visible: { user: count("user"), assistant: count("assistant"), tool: count("tool") },
      toolCalls: messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ toolName }) => toolName)),
      thinking: messages.flatMap(({ thinking = [] }) => thinking),
      lastAssistantText: messages.findLast(({ role }) => role === "assistant")?.content,
    };
    // The manifest lists what each layout has; older ones lack times, and documented ones most fields.
    const asked = { ...expected, toolCalls: expected.toolCalls?.map(({ name }) => name) ?? told.toolCalls };
    expect(told).toEqual({ ...told, ...pick(asked, Object.keys(told)) });
  });

  it("bills only what the documented database counts, and never guesses", () => {
    const told = [...home.rows.values()].map(({ sessionId, cost }) => [sessionId, [cost?.kind, cost?.totalUsd]]);
    // The documented model has no price. The IDE counts only the end of a turn.
    const kind = ({ base, turnCount }: Expected): string | undefined =>
      base?.startsWith("spec-home") && turnCount !== 0 ? "unpriced" : undefined;
    const expected = sessions.map((session) => [session.sessionId, [kind(session), kind(session) && 0]]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
    expectReportAddsUp(home);
  });

  it.each(sessions.filter(({ base, tokens }) => base !== undefined && tokens))(
    "counts the tokens of $sessionId",
    async ({ sessionId, tokens }) => {
      const { cached = 0, thinking = 0, input, output } = tokens!;
      expect((await home.figures(sessionId)).tokens).toEqual({ ...NO_TOKENS, input, output, cached, thinking });
    },
  );

  it("the list, the session and the library agree", async () => {
    for (const { list, full } of await saidTwice("cursor", join(FIXTURES, path), home)) expect(full).toEqual(list);
  });
});

it("shows the counts of the IDE on their messages", async () => {
  const ide = manifest.sessions.find(({ storage }) => storage.startsWith("IDE"))!;
  const { sessions } = createClient({ env: { home: join(FIXTURES, "home"), platform: "linux", vars: {} } });
  const { messages } = await sessions.get("cursor", ide.sessionId);
  const sum = { input: 0, output: 0 };
  for (const { tokenUsage } of messages) {
    sum.input += tokenUsage?.inputTokens ?? 0;
    sum.output += tokenUsage?.outputTokens ?? 0;
  }
  expect(sum).toEqual(ide.tokens);
});

it.each(manifest.searches)("finds $text in $base", async ({ base, text, match }) => {
  const { sessions } = createClient({ env: { home: join(FIXTURES, base), platform: "linux", vars: {} } });
  // The manifest searches parts of words: its sub-agent says TODOs.
  const hits = await sessions.search({ text: text === "TODO" ? "TODO*" : text, agent: "cursor" });
  expectFound(hits, match);
});
