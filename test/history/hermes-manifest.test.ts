import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { expectFound } from "./recorded-home.ts";
import { createClient } from "../../src/index.ts";
import {
  addTokens,
  saidTwice,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  NO_TOKENS,
  openRecordedHome,
  tokensOf,
  type RecordedHome,
  type Tokens,
} from "./recorded-home.ts";

interface Usage {
  model: string;
  task: string;
  input: number;
  output: number;
  cacheRead: number;
  reasoning: number;
  estimatedUsd: number;
}

interface Recorded {
  sessionId: string;
  scenario: string;
  title: string | null;
  cwd: string | null;
  model: string;
  parent: string | null;
  parentRelation: "branch" | "compression" | "delegate" | "reset" | null;
  activeByRole: { user?: number; assistant?: number; tool?: number };
  firstPrompt: string;
  promptsTyped: number;
  toolCalls: { name: string }[];
  usage: Usage[];
  cost: { status: string | null };
  archived?: boolean;
  rows: { compacted: number };
}

interface Documented {
  sessionId: string;
  title?: string;
  cwd?: string;
  model?: string;
  firstPrompt: string;
  turnCount: number;
  messageCount: number;
  tokens?: { input: number; output: number; thinking: number; cached: number };
  costUsd?: number | null;
}

interface RealHome {
  totals: { usd: number; byModel: Record<string, { usd: number; auxiliaryUsd: number }> };
  sessions: Recorded[];
}

interface Search {
  text: string;
  match?: string[];
  rawMatch?: string[];
}

interface Manifest {
  homes: {
    home: RealHome & { searches: Search[] };
    "live-home": RealHome & { searches: Search[] };
    "spec-home": { sessions: Documented[]; searches: Search[]; memorySearch: { text: string } };
    "spec-impl-home": { sessions: Documented[] };
  };
}

const { homes } = manifestOf("hermes") as Manifest;
const FIXTURES = fixturesOf("hermes");
const nano = (usd: number): number => Math.round(usd * 1e9);

describe.each(["home", "live-home"] as const)("%s", (path) => {
  const { sessions, totals } = homes[path];
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  let home: RecordedHome;

  beforeAll(async () => {
    home = await openRecordedHome("hermes", join(FIXTURES, path));
  });

  /**
   * Hermes' session row counts the conversation only; titles are billed in another table. amux adds both, and a sub-agent's to
   * its parent's.
   */
  function billed(session: Recorded): Usage[] {
    const helpers = sessions.filter(
      ({ parent, parentRelation }) => parent === session.sessionId && parentRelation === "delegate",
    );
    return [...session.usage, ...helpers.flatMap(({ usage }) => usage)];
  }

  function expectedOf(session: Recorded): Record<string, unknown> {
    const { activeByRole, parent, parentRelation, promptsTyped, rows } = session;
    const usage = billed(session);
    const copied = parentRelation === "branch" ? byId.get(parent!)!.activeByRole : {};
    // The second half of a rotated session starts with two exchanges that the compaction kept.
    const kept = parentRelation === "compression" ? 2 : 0;
    const replies = (activeByRole.assistant ?? 0) - (copied.assistant ?? 0) - kept;
    return {
      title: session.title ?? session.firstPrompt,
      cwd: session.cwd ?? undefined,
      forkedFrom: parentRelation === "branch" || parentRelation === "compression" ? parent : undefined,
      parentId: parentRelation === "delegate" ? parent : undefined,
      archived: session.archived === true,
      firstPrompt: session.firstPrompt,
      prompts: promptsTyped,
      // A compaction in place keeps the old rows: every prompt has a reply.
      replies: rows.compacted > 0 ? promptsTyped : replies,
      tools: copied.tool === undefined ? session.toolCalls.map(({ name }) => name) : [],
      results: (activeByRole.tool ?? 0) - (copied.tool ?? 0),
      tokens: addTokens(
        usage.map(({ input, output, cacheRead, reasoning }): Tokens => ({
          ...NO_TOKENS,
          input,
          output,
          cached: cacheRead,
          thinking: reasoning,
        })),
      ),
      // Dollars with the status `unknown` mean nothing, and the model has no price.
      kind: session.cost.status === "unknown" ? "unpriced" : "reported",
      nanoUsd: usage.reduce((sum, { estimatedUsd }) => sum + nano(estimatedUsd), 0),
    };
  }

  it("lists every session, hidden ones too", () => {
    expect([...home.rows.keys()].sort()).toEqual([...byId.keys()].sort());
  });

  it.each(sessions)("$scenario ($sessionId) has what Hermes wrote", async (session) => {
    const figures = await home.figures(session.sessionId);
    const { prompts, inherited, turns: _turns, models: _models, usd: _usd, ...told } = figures;
    const said = [...inherited, ...prompts];
    expect({
      cwd: undefined,
      forkedFrom: undefined,
      parentId: undefined,
      ...told,
      firstPrompt: said[0],
      prompts: said.length,
      nanoUsd: nano(home.rows.get(session.sessionId)!.cost!.totalUsd),
    }).toEqual(expectedOf(session));
  });

  it("reports the cost of conversations and of side calls", () => {
    expectReportAddsUp(home);
    const beside = Object.values(totals.byModel).reduce((sum, { auxiliaryUsd }) => sum + auxiliaryUsd, 0);
    // The manifest's sum and ours round half a nano-dollar in different places.
    expect(Math.abs(nano(home.report.totalUsd) - nano(totals.usd + beside))).toBeLessThanOrEqual(1);
    const models = Object.entries(totals.byModel).map(([model, { usd, auxiliaryUsd }]) => [
      model,
      Math.round((usd + auxiliaryUsd) * 1e8),
    ]);
    const told = Object.values(home.report.breakdowns!).map(({ key, totalUsd }) => [key, Math.round(totalUsd * 1e8)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(models));
  });

  it("the list, the session and the library agree", async () => {
    for (const { list, full } of await saidTwice("hermes", join(FIXTURES, path), home)) expect(full).toEqual(list);
  });
});

describe.each(["spec-home", "spec-impl-home"] as const)("%s", (path) => {
  it("is read as documented", async () => {
    const home = await openRecordedHome("hermes", join(FIXTURES, path));
    const told = [...home.rows.values()].map(async (row) => ({
      sessionId: row.sessionId,
      title: row.title,
      cwd: row.cwd,
      model: row.model,
      firstPrompt: (await home.figures(row.sessionId)).prompts[0],
      turnCount: row.turnCount,
      messageCount: row.messageCount,
      tokens: tokensOf(row.cost),
      usd: row.cost?.kind === "reported" ? row.cost.totalUsd : null,
    }));
    const expected = homes[path].sessions.map(({ tokens, ...session }: Documented) => ({
      sessionId: session.sessionId,
      title: session.title ?? session.firstPrompt,
      cwd: session.cwd,
      model: session.model,
      firstPrompt: session.firstPrompt,
      turnCount: session.turnCount,
      messageCount: session.messageCount,
      tokens: { ...NO_TOKENS, ...tokens },
      usd: session.costUsd ?? null,
    }));
    const byId = (a: { sessionId: string }, b: { sessionId: string }): number => (a.sessionId < b.sessionId ? -1 : 1);
    expect((await Promise.all(told)).sort(byId)).toEqual(expected.sort(byId));
    expectReportAddsUp(home);
  });
});

const searches = (["home", "live-home", "spec-home"] as const).flatMap((path) =>
  homes[path].searches.map((search) => ({ path, text: search.text, match: search.match ?? search.rawMatch! })),
);

it.each(searches)("finds $text in $path by Hermes' own index", async ({ path, text, match }) => {
  const { sessions } = createClient({ env: { home: join(FIXTURES, path), platform: "linux", vars: {} } });
  const hits = await sessions.search({ text, agent: "hermes" });
  // Notes of the agent are found too; the manifest lists only conversations.
  expectFound(
    hits.filter(({ sessionId }) => !sessionId.startsWith("memories/")),
    match,
  );
});

it("finds memory notes, which are not sessions", async () => {
  const { text } = homes["spec-home"].memorySearch;
  const { sessions } = createClient({ env: { home: join(FIXTURES, "spec-home"), platform: "linux", vars: {} } });
  const [hit, ...others] = await sessions.search({ text, agent: "hermes" });
  expect(others).toEqual([]);
  expect(hit!.matches[0]!.snippet).toContain(text);
  expect((await sessions.list("hermes")).map(({ sessionId }) => sessionId)).not.toContain(hit!.sessionId);
});
