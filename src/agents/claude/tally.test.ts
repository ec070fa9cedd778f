/** The scanning tally says what parsing every record says, on sound files and on damaged ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { listSessions } from "./discover.ts";
import { tallyByParsing } from "./session.ts";
import { tally } from "./tally.ts";

const HOME = join(import.meta.dirname, "fixtures/home");

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

/** Everything a tally tells, errors and notes included. */
function answer(count: typeof tally, source: SessionSource, env: AgentEnv): unknown {
  const notes = new ReadNotes();
  try {
    return { tally: count(source, env, notes), notes };
  } catch (error) {
    return { error: String(error), notes };
  }
}

function expectSame(home: string): void {
  const env = envOf(home);
  const sources = listSessions(env, new ReadNotes());
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) expect(answer(tally, source, env)).toEqual(answer(tallyByParsing, source, env));
}

describe("the scanning tally", () => {
  it("agrees with parsing on every recorded session", () => {
    expectSame(HOME);
  });

  it("agrees with parsing however a file is damaged", () => {
    const home = tempHome(HOME);
    const files = listSessions(envOf(home.path), new ReadNotes()).flatMap((source) => source.files);
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (const { path } of files) {
      const sound = readFileSync(path);
      for (let round = 0; round < 12; round++) {
        writeFileSync(path, damaged(sound, random));
        const env = envOf(home.path);
        const source = listSessions(env, new ReadNotes()).find((each) => each.files.some((file) => file.path === path));
        if (source) expect(answer(tally, source, env)).toEqual(answer(tallyByParsing, source, env));
      }
      writeFileSync(path, sound);
    }
  });
});

/** What crashes, full disks, merges and bad memory do to a file. */
function damaged(sound: Buffer, random: (below: number) => number): Buffer {
  const bytes = Buffer.from(sound);
  const place = (): number => random(bytes.length);
  switch (random(8)) {
    case 0:
      return bytes.subarray(0, place());
    case 1:
      for (let i = 0; i < 20; i++) bytes[place()] = random(256);
      return bytes;
    case 2:
      for (let i = 0; i < 20; i++) bytes[place()] = '"\\{}[]:,\n0-eu'.charCodeAt(random(13));
      return bytes;
    case 3: {
      const start = place();
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random(300))]);
    }
    case 4: {
      const start = place();
      return Buffer.concat([bytes.subarray(0, start), Buffer.alloc(random(5000)), bytes.subarray(start)]);
    }
    case 5:
      return Buffer.from(bytes.toString("utf8").replaceAll("\n", "\r\n\n"));
    case 6:
      return Buffer.from(`\uFEFF${bytes.toString("utf8").trimEnd()}`);
    default: {
      // Lines in another order, some twice, keys in another order and with blanks.
      const lines = bytes
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
      return Buffer.from(lines.map(() => respelt(lines[random(lines.length)]!, random)).join("\n"));
    }
  }
}

function respelt(line: string, random: (below: number) => number): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that was damaged already.
    return line;
  }
  const entries = Object.entries(record);
  switch (random(4)) {
    case 0:
      return JSON.stringify(Object.fromEntries(entries.toReversed()));
    case 1:
      return JSON.stringify(record, null, 1).replaceAll("\n", " ");
    case 2:
      return line.replace(/[a-z](?=[^"]*":)/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    default:
      return `${line.slice(0, -1)},"type":"assistant","uuid":"${random(9)}"}`;
  }
}
