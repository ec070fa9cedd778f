import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
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
  inputInclCached: number;
  cached: number;
  output: number;
  reasoning: number;
}

interface Expected {
  sessionId: string;
  scenario: string;
  cliVersion: string;
  cwd: string;
  prompts: string[];
  inheritedPrompts?: string[];
  modelReplies: number;
  models: string[];
  toolCalls: { name: string }[];
  tokens: Served;
  auxRequests?: { tokens: Served }[];
  noUsageInFile?: boolean;
  forkedFrom?: string;
  customTitle?: string;
  archived?: boolean;
  childThreads?: string[];
}

const { sessions, otherFiles } = manifestOf("codex") as { sessions: Expected[]; otherFiles: Expected[] };
const helpers = new Map(otherFiles.map((helper) => [helper.sessionId, helper]));

/** Input includes cache reads, output includes reasoning. */
function tokensServed({ inputInclCached, cached, output, reasoning }: Served): Tokens {
  return { input: inputInclCached - cached, cached, cacheWrite: 0, output, thinking: reasoning };
}

function expectedFigures(expected: Expected): Figures {
  const { scenario, prompts, inheritedPrompts = [], noUsageInFile = false } = expected;
  // Versions before 0.36 wrote neither directory nor model.
  const old = noUsageInFile;
  const children = (expected.childThreads ?? []).map((id) => helpers.get(id)!);
  const served = [expected, ...(expected.auxRequests ?? []), ...children].map(({ tokens }) => tokensServed(tokens));
  return {
    title: expected.customTitle ?? [...inheritedPrompts, ...prompts][0]!,
    ...(old ? {} : { cwd: expected.cwd }),
    ...(expected.forkedFrom === undefined ? {} : { forkedFrom: expected.forkedFrom }),
    archived: expected.archived === true,
    prompts,
    inherited: inheritedPrompts,
    // The service refused one prompt of x-err.
    turns: prompts.length + inheritedPrompts.length - (scenario === "x-err" ? 1 : 0),
    // A model change in x-models made Codex compact; the manifest counts the summary as a reply.
    replies: expected.modelReplies - (scenario === "x-models" ? 1 : 0),
    tools: expected.toolCalls.map((call) => call.name),
    results: expected.toolCalls.length,
    models: old ? [] : expected.models,
    tokens: old ? NO_TOKENS : addTokens(served),
    ...(old ? {} : { kind: "computed" }),
  };
}

let home: RecordedHome;

beforeAll(async () => {
  home = await openRecordedHome("codex", join(fixturesOf("codex"), "home"));
});

it("lists the recorded threads and nothing else", () => {
  expect([...home.rows.keys()].sort()).toEqual([...sessions, ...otherFiles].map(({ sessionId }) => sessionId).sort());
});

it.each(sessions)("$scenario ($sessionId) has what was typed and served", async (expected) => {
  expect(await home.figures(expected.sessionId)).toEqual(expectedFigures(expected));
});

describe.each(sessions.filter(({ childThreads }) => childThreads))("a sub-agent of $sessionId", (parent) => {
  it.each(parent.childThreads!)("is the session %s, with its parent", async (id) => {
    const prompt = "Find the file and line where tax is computed under src/. Reply with path:line.";
    expect(await home.figures(id)).toEqual({
      ...expectedFigures({ ...helpers.get(id)!, cwd: parent.cwd, prompts: [prompt] }),
      parentId: parent.sessionId,
    });
  });

  it("is shown separately in its parent's cost", () => {
    const used = parent.childThreads!.map((id) => tokensServed(helpers.get(id)!.tokens));
    expect(tokensOf(home.rows.get(parent.sessionId)!.cost!.subagents)).toEqual(addTokens(used));
  });
});

it("reports the cost of every request once", () => {
  expectReportAddsUp(home);
  const served = [...sessions.filter((session) => !session.noUsageInFile), ...otherFiles];
  const aux = served.flatMap(({ auxRequests = [] }) => auxRequests);
  expect(tokensOf(home.report)).toEqual(addTokens([...served, ...aux].map(({ tokens }) => tokensServed(tokens))));
  expect(home.report.kinds).toMatchObject({ unpriced: { requests: 0 }, unknown: { requests: 2 } });
});

it("the list, the session and the library agree", async () => {
  for (const { list, full } of await saidTwice("codex", join(fixturesOf("codex"), "home"), home))
    expect(full).toEqual(list);
});

it("reads compressed and archived threads like the others", async () => {
  const packed = await openRecordedHome("codex", join(fixturesOf("codex"), "packed"));
  const ids = ["x-tools", "x-fork", "x-big"].map((name) => sessions.find(({ scenario }) => scenario === name)!);
  const told = await Promise.all(ids.map(({ sessionId }) => packed.figures(sessionId)));
  const archived = (scenario: string): boolean => scenario === "x-tools";
  expect(told).toEqual(
    ids.map((expected) => ({ ...expectedFigures(expected), archived: archived(expected.scenario) })),
  );
  expect(packed.rows.size).toBe(ids.length);
});
