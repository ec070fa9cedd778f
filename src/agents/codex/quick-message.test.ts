/** A message that is taken quickly from its lines says what it does when a transcript is made of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { SessionMessage } from "../../core/session.ts";
import type { SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import type { SessionTexts } from "../text-message.ts";
import { history } from "./history.ts";
import { rebuild, rebuildSlowly } from "./rebuild.ts";

const HOME = join(import.meta.dirname, "fixtures/home");

/** What is searched and shown of it. */
function said({ role, content, thinking, timestamp, toolCalls, toolResult }: SessionMessage): unknown {
  const calls = toolCalls?.map(({ toolName, input }) => ({ toolName, input }));
  return { role, content, thinking, timestamp, calls, output: toolResult?.output };
}

/** Answers how many messages there were. */
function expectSame(source: SessionSource, home: string): number {
  let texts: SessionTexts | undefined;
  try {
    texts = history.texts!(source, { home, platform: "linux", vars: {} }, new ReadNotes());
  } catch {
    // Nothing in it can be read.
  }
  const spots = [...(texts?.messages() ?? [])].flatMap(({ spot }) => spot ?? []);
  const file = spots[0] && readFileSync(spots[0].path);
  for (const [index, { starts, state = 0 }] of spots.entries()) {
    const end = spots[index + 1]?.starts[0] ?? file!.length;
    // Several messages of one record.
    if (end <= starts[0]!) continue;
    const slow = rebuildSlowly(source, file!, starts[0]!, end, state)[0];
    const quick = rebuild(source, file!, starts, end, state)[0];
    expect(quick && said(quick)).toEqual(slow && said(slow));
  }
  return spots.length;
}

it("in every recorded rollout", () => {
  const sources = history.listSessions({ home: HOME, platform: "linux", vars: {} }, new ReadNotes());
  const messages = sources.map((source) => expectSame(source, HOME)).reduce((sum, count) => sum + count, 0);
  expect(messages).toBeGreaterThan(50);
});

it("however a rollout is damaged", () => {
  const { path: home } = tempHome(HOME);
  const env = { home, platform: "linux", vars: {} } as const;
  const random = randomFrom(11);
  for (const { path } of history.listSessions(env, new ReadNotes()).flatMap(({ files }) => files)) {
    const sound = readFileSync(path);
    for (let round = 0; round < 12; round++) {
      writeFileSync(path, damaged(sound, random));
      for (const source of history.listSessions(env, new ReadNotes()))
        if (source.path === path) expectSame(source, home);
    }
    writeFileSync(path, sound);
  }
});
