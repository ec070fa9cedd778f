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

const { scenarios } = manifestOf("pi") as { scenarios: RecordedScenario[] };
const recorded = scenarios.flatMap((scenario) => scenario.sessions.map(({ expected }) => ({ scenario, expected })));
const HOME = join(fixturesOf("pi"), "home");

/** Scenarios in which the service refused a prompt at once. */
const REFUSED = new Set(["p15-error", "p15-program-status"]);

interface Recorded {
  scenario: RecordedScenario;
  expected: RecordedTree;
}

function expectedFigures({ scenario, expected }: Recorded): Figures {
  const figures = treeFigures(expected, REFUSED.has(scenario.id) ? 1 : 0);
  if (scenario.id === "p15-image") {
    // Pi puts an attachment before the question; the title is the question, and a picture is named.
    const [, question] = expected.firstPrompt.split("\n");
    return { ...figures, title: question!, prompts: [`${expected.firstPrompt}\n[image]`] };
  }
  if (expected.header.parentSession !== null) {
    // The fork's file repeats the first question and answer, which the parent paid.
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
  // A continued copy of another recorded file: only its requests show the original.
  if (scenario.id === "p15-migrate-v2")
    return { ...figures, tokens: tokensIn(scenario.mockModelUsage), usd: 0.0009453 };
  return figures;
}

let home: RecordedHome;

beforeAll(async () => {
  home = await openRecordedHome("pi", HOME);
});

it("lists the recorded sessions and nothing else", () => {
  expect([...home.rows.keys()].sort()).toEqual(recorded.map(({ expected }) => expected.header.id).sort());
});

it.each(recorded)("$scenario.id ($expected.header.id) has what was typed and served", async (session) => {
  expect(await home.figures(session.expected.header.id)).toEqual(expectedFigures(session));
});

it("reports the cost of every request once, as Pi wrote it", () => {
  expectReportAddsUp(home);
  expect(tokensOf(home.report)).toEqual(addTokens(recorded.map((session) => expectedFigures(session).tokens)));
  expect(home.report.kinds).toEqual({
    ...home.report.kinds,
    reported: { requests: home.report.requestCount, usd: home.report.totalUsd },
  });
});

it("the list, the session and the library agree", async () => {
  for (const { list, full } of await saidTwice("pi", HOME, home)) expect(full).toEqual(list);
});
