import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  saidTwice,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  openRecordedHome,
  tokensOf,
  type Figures,
  type RecordedHome,
} from "./recorded-home.ts";
import { treeFigures, type RecordedTree } from "./tree-manifest.ts";

interface Entry {
  sessionId: string;
  label?: string;
}

interface Home {
  home: string;
  stores: {
    sessions: {
      sessionKey: string;
      currentSessionId?: string;
      node?: { label?: string; archived_at?: number };
      entry: Entry;
      windows?: { sessionId: string; expected: RecordedTree }[];
    }[];
  }[];
  transcripts: { state: string; expected: RecordedTree }[];
  usageCheck: { sumOverTranscripts: { input: number; output: number; cacheRead: number; cacheWrite: number } };
}

const { homes } = manifestOf("openclaw") as { homes: Home[] };

/** Turns that OpenClaw starts itself are recorded as the user's. */
const HEARTBEAT = "[OpenClaw heartbeat poll]";
const words = (prompt: string): string => prompt.replace(/^\[\w{3} [-\d]{10} [:\d]{5} UTC\] /, "");

interface Recorded {
  id: string;
  expected: RecordedTree;
  label: string | undefined;
  archived: boolean;
}

/** In a database the current window of each key, in older layouts every transcript that is no backup or checkpoint. */
function recordedIn({ stores, transcripts }: Home): Recorded[] {
  const keys = stores.flatMap(({ sessions }) => sessions);
  const windows = keys.flatMap(({ windows = [], currentSessionId, node }) =>
    windows
      .filter(({ sessionId }) => sessionId === currentSessionId)
      .map(({ expected }) => ({ expected, label: node?.label, archived: node?.archived_at !== undefined })),
  );
  const files = transcripts
    .filter(({ state }) => state === "live")
    .map(({ expected }) => ({
      expected,
      label: keys.find(({ entry }) => entry.sessionId === expected.header.id)?.entry.label,
      archived: false,
    }));
  return [...windows, ...files].map((session) => ({ id: session.expected.header.id, ...session }));
}

function expectedFigures({ expected, label, archived }: Recorded): Figures {
  const refused = expected.firstPrompt.endsWith("Trigger a bad request") ? 1 : 0;
  const figures = treeFigures(expected, refused);
  const prompts = figures.prompts.filter((prompt) => prompt !== HEARTBEAT).map(words);
  return {
    ...figures,
    title: label ?? prompts[0]!,
    archived,
    prompts,
    turns: prompts.length - refused,
  };
}

describe.each(homes)("$home", (manifest) => {
  const path = join(fixturesOf("openclaw"), manifest.home);
  const recorded = recordedIn(manifest);
  let home: RecordedHome;

  beforeAll(async () => {
    home = await openRecordedHome("openclaw", path);
  });

  it("lists the recorded sessions and no copy of them", () => {
    expect([...home.rows.keys()].sort()).toEqual(recorded.map(({ id }) => id).sort());
  });

  it.each(recorded)("$id has what was typed and served", async (session) => {
    expect(await home.figures(session.id)).toEqual(expectedFigures(session));
  });

  it("reports what all transcripts say, each answer once", () => {
    expectReportAddsUp(home);
    const { input, output, cacheRead, cacheWrite } = manifest.usageCheck.sumOverTranscripts;
    expect(tokensOf(home.report)).toMatchObject({ input, output, cached: cacheRead, cacheWrite });
  });

  it("the list, the session and the library agree", async () => {
    for (const { list, full } of await saidTwice("openclaw", path, home)) expect(full).toEqual(list);
  });
});
