import { readFileSync } from "node:fs";
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
  output: number;
  thinking: number;
}

interface Expected {
  scenario: string;
  sessionId: string;
  home: string;
  expected: {
    firstPrompt: string;
    userPromptsSent: string[];
    userPromptsVisible?: string[];
    cancelled?: string[];
    rewound?: string[];
    modelReplies: number;
    toolCalls: string[];
    models: string[];
    tokensServed: Served;
    cwd: string;
    title: string | null;
    parentSessionId?: string;
  };
  recorded: { toolCallsRecorded: [name: string, status: string][] };
}

interface Manifest {
  sessions: Expected[];
  homes: { path: string; expected?: { prompts: string[] } }[];
  synthetic: { path: string; sessionId: string; expected: { tokens: { input: number; output: number } } }[];
  damaged: { path: string; madeFrom: string; reasonable: string }[];
}

const manifest = manifestOf("gemini") as Manifest;
const FIXTURES = fixturesOf("gemini");

/** Input includes cache reads, output excludes reasoning. */
function tokensServed({ input, cachedInput, output, thinking }: Served): Tokens {
  return { input: input - cachedInput, cached: cachedInput, cacheWrite: 0, output: output + thinking, thinking };
}

function expectedFigures({ sessionId, expected, recorded }: Expected): Figures {
  const prompts = expected.userPromptsVisible ?? expected.userPromptsSent;
  const children = manifest.sessions.filter(({ expected: { parentSessionId } }) => parentSessionId === sessionId);
  const served = [expected, ...children.map((child) => child.expected)];
  // Turns cancelled by Esc or /rewind are billed, but not shown by Gemini; a call that still waited for permission was never
  // written.
  const gone = [...(expected.cancelled ?? []), ...(expected.rewound ?? [])];
  const tools = recorded.toolCallsRecorded.filter(([, status]) => status !== "cancelled").map(([name]) => name);
  return {
    title: expected.title ?? expected.firstPrompt,
    cwd: expected.cwd,
    ...(expected.parentSessionId === undefined ? {} : { parentId: expected.parentSessionId }),
    archived: false,
    prompts,
    inherited: [],
    // The first prompt of g05 has no final answer, but its model replied before the request failed.
    turns: prompts.length,
    replies: expected.modelReplies - gone.length,
    tools,
    results: tools.length,
    models: expected.models,
    tokens: addTokens(served.map((each) => tokensServed(each.tokensServed))),
    kind: "computed",
  };
}

describe.each(["home", "home-0.10.0", "home-0.33.2"])("%s", (path) => {
  const sessions = manifest.sessions.filter((session) => session.home === path);
  let home: RecordedHome;

  beforeAll(async () => {
    home = await openRecordedHome("gemini", join(FIXTURES, path));
  });

  it("lists the recorded sessions and no stub of a resume", () => {
    expect([...home.rows.keys()].sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
  });

  it.each(sessions)("$scenario ($sessionId) has what was typed and served", async (expected) => {
    expect(await home.figures(expected.sessionId)).toEqual(expectedFigures(expected));
  });

  it("reports the cost of every request once", () => {
    expectReportAddsUp(home);
    expect(tokensOf(home.report)).toEqual(
      addTokens(sessions.map(({ expected }) => tokensServed(expected.tokensServed))),
    );
  });

  it("the list, the session and the library agree", async () => {
    for (const { list, full } of await saidTwice("gemini", join(FIXTURES, path), home)) expect(full).toEqual(list);
  });
});

it("takes a session of 0.2.2 from its log and its saved chat", async () => {
  const { path, expected } = manifest.homes.find((home) => home.expected)!;
  const home = await openRecordedHome("gemini", join(FIXTURES, path));
  expect(await Promise.all([...home.rows.keys()].map((id) => home.figures(id)))).toEqual([
    {
      title: expected!.prompts[0],
      cwd: "/home/user/dev/shop-web",
      archived: false,
      prompts: expected!.prompts,
      inherited: [],
      turns: 2,
      replies: 3,
      tools: ["read_file"],
      results: 1,
      // The manifest knows the model from the server; this version wrote neither model nor token counts.
      models: [],
      tokens: NO_TOKENS,
    },
  ]);
});

it.each(manifest.synthetic)("reads the documented layout of $path", async ({ path, sessionId, expected }) => {
  const home = await openRecordedHome("gemini", join(FIXTURES, path, "home"));
  expect([...home.rows.keys()]).toEqual([sessionId]);
  expect(await home.figures(sessionId)).toMatchObject({
    prompts: ["Spec shaped prompt a."],
    replies: 1,
    tokens: { ...NO_TOKENS, ...expected.tokens },
    kind: "computed",
  });
});

describe("a damaged transcript", () => {
  const { cwd: _, ...whole } = expectedFigures(
    manifest.sessions.find(({ scenario }) => scenario === "g02-resume-tools")!,
  );

  // Only a line without text is cut. Without a header the file name gives the start of the id; without projects.json the
  // directory is unknown.
  it.each(manifest.damaged)("$path: $reasonable", async ({ path, madeFrom }) => {
    const home = tempHome();
    home.write(madeFrom.replace(/^home\//, ""), readFileSync(join(FIXTURES, path)));
    const opened = await openRecordedHome("gemini", home.path);
    const told = await Promise.all([...opened.rows.keys()].map((id) => opened.figures(id)));
    expect(told).toEqual(path.endsWith("empty.jsonl") ? [] : [whole]);
  });
});
