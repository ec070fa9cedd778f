/** The scanning tally says what parsing every record says, on sound files and on damaged ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { listSessions } from "./discover.ts";
import { summarize, summarizeByParsing } from "./summary.ts";
import { tallyByParsing } from "./session.ts";
import { UsageRows } from "../usage-rows.ts";
import { billInto, tally } from "./tally.ts";

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

/** What is billed without looking at most of the records, if it can be had so, is what the tally says. */
function expectBilled(source: SessionSource, env: AgentEnv): boolean {
  const rows = new UsageRows();
  const bill = billInto(source, env, new ReadNotes(), rows);
  if (bill === undefined) return false;
  const { usage, reportedTotals, placed, head } = tallyByParsing(source, env, new ReadNotes())!;
  expect(rows.records(0)).toEqual(usage);
  expect(bill.reportedTotals).toEqual(reportedTotals);
  expect(bill.placed).toBe(placed);
  expect(bill.head).toEqual({
    title: "",
    createdMs: head.createdMs,
    ...(head.startedMs === undefined ? {} : { startedMs: head.startedMs }),
  });
  return true;
}

/** What a list shows is the same whether the scanner takes all of it or stops at every record that could be unusual. */
function expectListed(source: SessionSource, env: AgentEnv): void {
  const [notes, parsingNotes] = [new ReadNotes(), new ReadNotes()];
  expect(summarize(source, env, notes)).toEqual(summarizeByParsing(source, parsingNotes));
  expect(notes).toEqual(parsingNotes);
}

function expectSame(home: string): void {
  const env = envOf(home);
  const sources = listSessions(env, new ReadNotes());
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) {
    expect(answer(tally, source, env)).toEqual(answer(tallyByParsing, source, env));
    expectListed(source, env);
  }
}

describe("the scanning tally", () => {
  it("agrees with parsing on every recorded session", () => {
    expectSame(HOME);
  });

  it("bills most recorded sessions without looking at all of them", () => {
    const env = envOf(HOME);
    const sources = listSessions(env, new ReadNotes());
    const billed = sources.filter((source) => expectBilled(source, env));
    expect(billed.length).toBeGreaterThan(sources.length / 2);
  });

  it("agrees with parsing however a file is damaged", () => {
    const home = tempHome(HOME);
    const files = listSessions(envOf(home.path), new ReadNotes()).flatMap((source) => source.files);
    const random = randomFrom(7);
    for (const { path } of files) {
      const sound = readFileSync(path);
      for (let round = 0; round < 12; round++) {
        writeFileSync(path, damaged(sound, random));
        const env = envOf(home.path);
        const source = listSessions(env, new ReadNotes()).find((each) => each.files.some((file) => file.path === path));
        if (!source) continue;
        expect(answer(tally, source, env)).toEqual(answer(tallyByParsing, source, env));
        expectBilled(source, env);
        expectListed(source, env);
      }
      writeFileSync(path, sound);
    }
  });

  it("agrees with parsing on numbers and dates in forms that are rarely written", () => {
    const home = tempHome(HOME);
    const env = envOf(home.path);
    const random = randomFrom(23);
    const respelt = (line: string): string =>
      [
        line,
        line.replace(/"(input|output)_tokens":(\d+)/g, '"$1_tokens":$2.0'),
        line.replace(/"(input|output)_tokens":(\d+)/g, '"$1_tokens":$2e0'),
        line.replace(/"timestamp":"([^"]*)Z"/, '"timestamp":"$1+00:00"'),
        line.replace(/"timestamp":"[^"]*"/, '"timestamp":"some day"'),
      ][random(5)]!;
    for (const { path } of listSessions(env, new ReadNotes()).flatMap((source) => source.files)) {
      const lines = readFileSync(path, "utf8").split("\n");
      // Several times the same, so that it is known when it comes again.
      const text = lines.flatMap((line) => Array.from({ length: 1 + random(3) }, () => respelt(line))).join("\n");
      writeFileSync(path, text);
    }
    expectSame(home.path);
  });
});
