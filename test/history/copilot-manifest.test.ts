import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
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
  cacheWrite: number;
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
    modelReplies: number;
    toolCalls: string[];
    models: string[];
    tokensServed: Served;
    ownTokensServed?: Served;
    tokensServedInclSubAgents?: Served;
    sideCalls?: { usage: { in: number; out: number } }[];
    cwd: string;
    title?: string;
    forkOf?: string;
  };
  recorded: {
    roles?: string[];
    userMessages?: number;
    usageRecordsOwn?: number;
    lastShutdownModelMetrics?: unknown;
    toolCalls?: [name: string, success: boolean | null][];
    tokensRecordedOwn?: { reasoning: number };
  };
}

interface Manifest {
  sessions: Expected[];
  synthetic: { path: string; sessionId: string }[];
  damaged: { path: string; madeFrom: string }[];
}

const manifest = manifestOf("copilot") as Manifest;
const FIXTURES = fixturesOf("copilot");

/** Input includes cache reads and writes. Output includes reasoning, which only some services report apart. */
function tokensServed({ input, cachedInput, cacheWrite, output, thinking }: Served, told: boolean): Tokens {
  return {
    input: input - cachedInput - cacheWrite,
    cached: cachedInput,
    cacheWrite,
    output: output + thinking,
    thinking: told ? thinking : 0,
  };
}

function expectedFigures({ sessionId, expected, recorded }: Expected): Figures {
  const { userPromptsSent: sent } = expected;
  // /rewind removes a turn from the file, and 0.0.370 lost the second prompt and its answer.
  const gone = sent.length - (recorded.userMessages ?? sent.length);
  const visible = expected.userPromptsVisible ?? sent.slice(0, sent.length - gone);
  const prompts = expected.ownPrompts ?? visible;
  const inherited = visible.filter((prompt) => !prompts.includes(prompt));
  // Up to 0.0.370 no input tokens were written, and up to 0.0.340 no model.
  const unknown = !recorded.usageRecordsOwn && !recorded.lastShutdownModelMetrics;
  const oldest = recorded.roles !== undefined;
  const side = (expected.sideCalls ?? []).map(({ usage }): Tokens => ({
    ...NO_TOKENS,
    input: usage.in,
    output: usage.out,
  }));
  const served = expected.ownTokensServed ?? expected.tokensServedInclSubAgents ?? expected.tokensServed;
  const reasoningTold = (recorded.tokensRecordedOwn?.reasoning ?? 0) > 0;
  const unanswered = (recorded.toolCalls ?? []).filter(([, success]) => success === null);
  return {
    title: expected.title ?? prompts[0]!,
    // Up to 0.0.340 the directory is only known from the files of tools; this session touched none.
    ...(sessionId.startsWith("a16cff5b") ? {} : { cwd: expected.cwd }),
    ...(expected.forkOf === undefined ? {} : { forkedFrom: expected.forkOf }),
    archived: false,
    prompts,
    inherited,
    turns: visible.length,
    replies: expected.modelReplies - gone - inherited.length,
    tools: expected.toolCalls,
    // A refused call has no result, nor has one that was killed while asking.
    results: expected.toolCalls.length - unanswered.length,
    models: oldest ? [] : expected.models,
    // session-store.db still bills the rewound turn, and the compaction has its own event.
    tokens: unknown ? NO_TOKENS : addTokens([tokensServed(served, reasoningTold), ...side]),
    ...(unknown ? {} : { kind: "computed" }),
  };
}

describe.each(["home", "home-0.0.340", "home-0.0.370", "home-1.0.24"])("%s", (path) => {
  const sessions = manifest.sessions.filter((session) => session.home === path);
  let home: RecordedHome;

  beforeAll(async () => {
    home = await openRecordedHome("copilot", join(FIXTURES, path));
  });

  it("lists the recorded sessions and nothing else", () => {
    expect([...home.rows.keys()].sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
  });

  it.each(sessions)("$scenario ($sessionId) has what was typed and served", async (expected) => {
    expect(await home.figures(expected.sessionId)).toEqual(expectedFigures(expected));
  });

  it("reports the cost of every request once", () => {
    expectReportAddsUp(home);
    expect(tokensOf(home.report)).toEqual(addTokens(sessions.map((session) => expectedFigures(session).tokens)));
  });

  it("the list, the session and the library agree", async () => {
    for (const { list, full } of await saidTwice("copilot", join(FIXTURES, path), home)) expect(full).toEqual(list);
  });
});

describe("a store that is still in its write-ahead log", () => {
  const figures = (prompts: string[], tools: string[], results: number, input: number, output: number): Figures => ({
    title: prompts[0]!,
    cwd: "/home/user/dev/shop-web",
    archived: false,
    prompts,
    inherited: [],
    // The last prompt of the longest session failed.
    turns: Math.min(prompts.length, 4),
    replies: { 1: 3, 3: 4, 5: 6 }[prompts.length]!,
    tools,
    results,
    models: ["claude-sonnet-4.6"],
    tokens: { ...NO_TOKENS, input, output },
    kind: "computed",
  });
  const fromEvents: Record<string, Figures> = {
    "b14bb69d-2e0a-4d97-a20b-e90a1db80f8b": figures(["Slowly.", "Slowly again.", "Compute."], ["bash"], 1, 36400, 19),
    "682ee3d8-5304-4aae-9360-86c8d4059c55": figures(
      ["Say hi.", "Compute one.", "Use an agent.", "Compute two.", "Fail now."],
      ["bash", "task", "bash"],
      2,
      62100,
      96,
    ),
    "d93252c9-6da3-4b2a-ac3f-6f3640b260f0": figures(["Read the README."], ["view", "bash"], 2, 27500, 24),
  };

  it("is combined with the transcripts beside it", async () => {
    const home = await openRecordedHome("copilot", join(FIXTURES, "home-wal"));
    const told = [...home.rows.keys()].map(async (id) => [id, await home.figures(id)] as const);
    expect(Object.fromEntries(await Promise.all(told))).toEqual(fromEvents);
    expectReportAddsUp(home);
  });

  it("is enough when the transcripts are gone", async () => {
    const copy = tempHome(join(FIXTURES, "home-wal"));
    rmSync(join(copy.path, ".copilot/session-state"), { recursive: true });
    const home = await openRecordedHome("copilot", copy.path);
    const facts = ({ title, cwd, prompts, tokens }: Figures): Partial<Figures> => ({
      title,
      cwd: cwd!,
      prompts,
      tokens,
    });
    const told = [...home.rows.keys()].map(async (id) => [id, facts(await home.figures(id))] as const);
    expect(Object.fromEntries(await Promise.all(told))).toEqual(
      Object.fromEntries(Object.entries(fromEvents).map(([id, expected]) => [id, facts(expected)])),
    );
  });
});

it.each(manifest.synthetic)("reads the documented layout of $path", async ({ path, sessionId }) => {
  const home = await openRecordedHome("copilot", join(FIXTURES, path, "home"));
  expect([...home.rows.keys()]).toEqual([sessionId]);
  const figures = await home.figures(sessionId);
  expect(figures).toMatchObject({ prompts: ["Spec shaped Copilot prompt a."], replies: 1, tokens: NO_TOKENS });
  expect(figures).not.toHaveProperty("kind");
});

it.each(manifest.damaged)("takes everything but the damaged lines from $path", async ({ path, madeFrom }) => {
  const whole = manifest.sessions.find(({ sessionId }) => madeFrom.includes(sessionId))!;
  const home = tempHome();
  home.write(madeFrom.replace(/^home\//, ""), readFileSync(join(FIXTURES, path)));
  const opened = await openRecordedHome("copilot", home.path);
  const told = await Promise.all([...opened.rows.keys()].map((id) => opened.figures(id)));
  // Neither file lost a line with text or counts.
  expect(told).toEqual(path.endsWith("empty.jsonl") ? [] : [expectedFigures(whole)]);
});
