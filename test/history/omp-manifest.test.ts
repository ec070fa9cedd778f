import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import {
  addTokens,
  saidTwice,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  openRecordedHome,
  tokensOf,
  type Figures,
  type RecordedHome,
} from "./recorded-home.ts";
import { tokensIn, treeFigures, type RecordedScenario, type RecordedTree } from "./tree-manifest.ts";

const { scenarios } = manifestOf("omp") as { scenarios: RecordedScenario[] };
const recorded = scenarios.flatMap((scenario) => scenario.sessions.map((session) => ({ scenario, ...session })));
const listed = recorded.filter(({ subagentOf }) => subagentOf === undefined);
const HOME = join(fixturesOf("omp"), "home");

interface Recorded {
  scenario: RecordedScenario;
  file: string;
  expected: RecordedTree;
}

function expectedFigures({ scenario, file, expected }: Recorded): Figures {
  const figures = treeFigures(expected, scenario.id === "o18-error" ? 1 : 0);
  if (scenario.id === "o18-image") return { ...figures, prompts: [`${expected.firstPrompt}\n[image]`] };
  if (expected.header.parentSession !== null) {
    // The branch's file repeats the first question and answer, which the parent paid.
    const [inherited, own] = figures.prompts;
    const parent = scenario.sessions.find(({ expected: other }) => other !== expected)!.expected;
    const { input, output, cacheRead } = parent.wholeTree.usageAll;
    const served = tokensIn(scenario.mockModelUsage);
    return {
      ...figures,
      forkedFrom: parent.header.id,
      inherited: [inherited!],
      prompts: [own!],
      replies: 1,
      tokens: {
        ...served,
        input: served.input - input,
        output: served.output - output,
        cached: served.cached - cacheRead,
      },
      usd: 0.001287,
    };
  }
  const helpers = recorded.filter(({ subagentOf }) => subagentOf === file).map((helper) => helper.expected.wholeTree);
  const usd = [figures.usd!, ...helpers.map(({ usageAll }) => usageAll.costUsd)].reduce((sum, each) => sum + each, 0);
  return {
    ...figures,
    tokens: addTokens([figures.tokens, ...helpers.map(({ usageAll }) => tokensIn(usageAll))]),
    usd: Math.round(usd * 1e9) / 1e9,
  };
}

let home: RecordedHome;

beforeAll(async () => {
  home = await openRecordedHome("omp", HOME);
});

it("lists the recorded sessions, and sub-agents only inside them", () => {
  expect([...home.rows.keys()].sort()).toEqual(listed.map(({ expected }) => expected.header.id).sort());
});

it.each(listed)("$scenario.id ($expected.header.id) has what was typed and served", async (session) => {
  expect(await home.figures(session.expected.header.id)).toEqual(expectedFigures(session));
});

it.each(recorded.filter(({ subagentOf }) => subagentOf))("shows the sub-agent $file in its parent", async (helper) => {
  const parent = recorded.find(({ file }) => file === helper.subagentOf)!.expected.header.id;
  const { header, activeBranch, wholeTree } = helper.expected;
  const { subagents } = await home.session(parent);
  expect(subagents!.map(({ id, messages }) => [id, messages[0]!.content])).toEqual([
    [header.id, activeBranch.userPrompts[0]],
  ]);
  expect(subagents![0]!.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ toolName }) => toolName))).toEqual(
    activeBranch.tools,
  );
  expect(tokensOf(home.rows.get(parent)!.cost!.subagents)).toEqual(tokensIn(wholeTree.usageAll));
});

it("reports the cost of every request once, as omp wrote it", () => {
  expectReportAddsUp(home);
  expect(tokensOf(home.report)).toEqual(addTokens(listed.map((session) => expectedFigures(session).tokens)));
  expect(home.report.kinds).toEqual({
    ...home.report.kinds,
    reported: { requests: home.report.requestCount, usd: home.report.totalUsd },
  });
});

it("the list, the session and the library agree", async () => {
  for (const { list, full } of await saidTwice("omp", HOME, home)) expect(full).toEqual(list);
});
