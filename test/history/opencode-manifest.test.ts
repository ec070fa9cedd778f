import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionSummary } from "../../src/core/session.ts";
import { warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import {
  addTokens,
  saidTwice,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  NO_TOKENS,
  openRecordedHome,
  tokensOf,
  type Figures,
  type RecordedHome,
  type Tokens,
} from "./recorded-home.ts";

interface Served {
  input: number;
  cachedInput: number;
  output: number;
  thinking: number;
}

interface Expected {
  scenario: string;
  sessionId: string;
  home: string;
  expected: {
    userPromptsSent: string[];
    userPromptsVisible?: string[];
    ownPrompts?: string[];
    reverted?: string[];
    modelReplies: number;
    toolCalls: string[];
    models: string[];
    tokensServed: Served;
    ownTokensServed?: Served;
    sideCalls?: { kind: string; usage: { in: number; out: number } }[];
    cwd: string;
    title: string;
    parentSessionId?: string | null;
    forkOf?: string;
    costUsd?: number;
  };
  recorded: {
    toolParts?: [tool: string, status: string][];
    costFromMessages?: number;
    jsonCost?: number;
    database?: { costFromMessages: number };
  };
}

interface Documented {
  sessionId: string;
  title: string;
  cwd: string;
  model: string;
  firstPrompt: string;
  turnCount: number;
  messageCount: number;
  tokens: { input: number; output: number; thinking: number; cached: number };
  costUsd: number | null;
  forkedFrom: string | null;
  toolCalls: { name: string; durationMs: number }[];
}

const { sessions } = manifestOf("opencode") as { sessions: Expected[] };
const FIXTURES = fixturesOf("opencode");
const DATABASE = ".local/share/opencode/opencode.db";
const nano = (usd: number): number => Math.round(usd * 1e9) / 1e9;

/** Input includes cache reads, output excludes reasoning. */
function tokensServed({ input, cachedInput, output, thinking }: Served): Tokens {
  return { input: input - cachedInput, cached: cachedInput, cacheWrite: 0, output: output + thinking, thinking };
}

/** OpenCode wrote no counts for the reply during which it was killed. */
const KILLED = ["o10-waiting-crash", "n06-killed"];

/** The fork of 1.1.65 is known only by its scenario; its first two replies are copies. */
const OLD_FORK = "old-task+old-fork";

function writtenUsd({ recorded }: Expected): number {
  return recorded.database?.costFromMessages ?? recorded.costFromMessages ?? recorded.jsonCost ?? 0;
}

function forkSource(session: Expected): Expected | undefined {
  const { scenario, home, expected } = session;
  const from = scenario === OLD_FORK ? "old-task" : undefined;
  return sessions.find(
    (other) => other.home === home && (other.sessionId === expected.forkOf || other.scenario === from),
  );
}

function own(
  session: Expected,
): Pick<Figures, "prompts" | "inherited" | "replies" | "tools" | "results" | "tokens" | "usd"> {
  const { expected, recorded, scenario } = session;
  const source = forkSource(session);
  const visible = expected.userPromptsVisible ?? expected.userPromptsSent;
  const inherited = source?.expected.userPromptsSent ?? [];
  const tools = source ? [] : expected.toolCalls;
  const unanswered = (recorded.toolParts ?? []).filter(([, status]) => status === "running");
  const before = source ? tokensServed(source.expected.tokensServed) : NO_TOKENS;
  const served = tokensServed(expected.tokensServed);
  const tokens = Object.fromEntries(
    Object.entries(served).map(([key, count]) => [key, count - before[key as keyof Tokens]]),
  ) as unknown as Tokens;
  const compaction = (expected.sideCalls ?? []).filter(({ kind }) => kind === "compaction");
  return {
    prompts: visible.slice(inherited.length),
    inherited,
    // Undone replies are billed, but no longer part of the conversation.
    replies: expected.modelReplies - (expected.reverted?.length ?? 0) - (source?.expected.modelReplies ?? 0),
    tools,
    results: tools.length - unanswered.length,
    tokens: KILLED.includes(scenario)
      ? NO_TOKENS
      : addTokens([tokens, ...compaction.map(({ usage }) => ({ ...NO_TOKENS, input: usage.in, output: usage.out }))]),
    // The undone reply of o08 is missing from messages and sum; the event log still has its $0.02682.
    usd: writtenUsd(session) - (source ? writtenUsd(source) : 0) + (scenario === "o08-tui-undo-compact" ? 0.02682 : 0),
  };
}

function expectedFigures(session: Expected): Figures {
  const { expected, sessionId, scenario } = session;
  const children = sessions.filter((other) => other.expected.parentSessionId === sessionId).map(own);
  const { usd, tokens, ...figures } = own(session);
  const source = forkSource(session);
  // Free and unknown models get 0 dollars; the recorded one has no price.
  const unpriced = expected.models.includes("free-mock") || KILLED.includes(scenario);
  const isAnswered = expected.modelReplies > 0;
  return {
    title: expected.title,
    cwd: expected.cwd,
    ...(source ? { forkedFrom: source.sessionId } : {}),
    ...(expected.parentSessionId ? { parentId: expected.parentSessionId } : {}),
    archived: false,
    ...figures,
    turns: isAnswered ? figures.prompts.length + figures.inherited.length : 0,
    models: expected.models,
    tokens: addTokens([tokens, ...children.map((child) => child.tokens)]),
    ...(unpriced && { kind: "unpriced" as const }),
    ...(isAnswered &&
      !unpriced && { kind: "reported" as const, usd: nano(children.reduce((sum, child) => sum + child.usd!, usd!)) }),
  };
}

describe.each(["home", "home-1.18.33", "home-wal", "home-0.5.29", "home-1.1.65", "home-1.1.65-to-1.2.27"])(
  "%s",
  (path) => {
    const recorded = sessions.filter((session) => session.home === path);
    let home: RecordedHome;

    beforeAll(async () => {
      home = await openRecordedHome("opencode", join(FIXTURES, path));
    });

    it("lists every recorded session once", () => {
      expect([...home.rows.keys()].sort()).toEqual(recorded.map(({ sessionId }) => sessionId).sort());
    });

    it.each(recorded)("$scenario ($sessionId) has what was typed and served", async (session) => {
      expect(await home.figures(session.sessionId)).toEqual(expectedFigures(session));
    });

    it("reports the cost of every request once", () => {
      expectReportAddsUp(home);
      expect(tokensOf(home.report)).toEqual(addTokens(recorded.map((session) => own(session).tokens)));
    });

    it("the list, the session and the library agree", async () => {
      for (const { list, full } of await saidTwice("opencode", join(FIXTURES, path), home)) expect(full).toEqual(list);
    });
  },
);

it("reads the documented tables", async () => {
  const text = readFileSync(join(FIXTURES, "documented/MANIFEST.json"), "utf8");
  const documented = (JSON.parse(text) as { homes: { "spec-home": { sessions: Documented[] } } }).homes["spec-home"];
  const home = await openRecordedHome("opencode", join(FIXTURES, "documented/spec-home"));
  const told = [...home.rows.values()].map(async (row) => {
    const { messages } = await home.session(row.sessionId);
    return {
      sessionId: row.sessionId,
      title: row.title,
      cwd: row.cwd,
      model: row.model,
      forkedFrom: row.forkedFrom ?? null,
      firstPrompt: messages[0]!.content,
      turnCount: row.turnCount,
      messageCount: row.messageCount,
      toolCalls: messages.flatMap(({ toolCalls = [] }) =>
        toolCalls.map(({ toolName, durationMs }) => ({ name: toolName, durationMs })),
      ),
      tokens: tokensOf(row.cost),
    };
  });
  const expected = documented.sessions.map(({ tokens, ...session }) => ({
    sessionId: session.sessionId,
    title: session.title,
    cwd: session.cwd,
    model: session.model,
    forkedFrom: session.forkedFrom,
    firstPrompt: session.firstPrompt,
    turnCount: session.turnCount,
    messageCount: session.messageCount,
    toolCalls: session.toolCalls.map(({ name, durationMs }) => ({ name, durationMs })),
    // All messages of the fork are copies, which its source paid.
    tokens: session.forkedFrom === null ? { ...NO_TOKENS, ...tokens } : NO_TOKENS,
  }));
  const byId = (a: { sessionId: string }, b: { sessionId: string }): number => (a.sessionId < b.sessionId ? -1 : 1);
  expect((await Promise.all(told)).sort(byId)).toEqual(expected.sort(byId));
  expectReportAddsUp(home);
});

describe("a damaged database", () => {
  const DAMAGE = [
    // The answer is lost, but not the question or the session.
    { name: "bad-message-json.db", sessions: ["First session", "Second session"], skipped: [], damagedLines: 1 },
    { name: "truncated.db", sessions: [], skipped: ["database disk image is malformed"], damagedLines: 0 },
    { name: "not-a-database.db", sessions: [], skipped: ["file is not a database"], damagedLines: 0 },
  ];

  it.each(DAMAGE)("$name is listed as far as possible, and doctor reports the rest", async (damage) => {
    const home = tempHome();
    home.write(DATABASE, readFileSync(join(FIXTURES, "damaged", damage.name)));
    const [rows, [report]] = await Promise.all([
      warmJson<SessionSummary[]>(["sessions", "list", "opencode"], { home: home.path }),
      warmJson<{ skipped: { reason: string }[]; damagedLines: number }[]>(["doctor", "opencode"], { home: home.path }),
    ]);
    expect({
      name: damage.name,
      sessions: rows.map(({ title }) => title).sort(),
      skipped: report!.skipped.map(({ reason }) => reason),
      damagedLines: report!.damagedLines,
    }).toEqual(damage);
  });
});
