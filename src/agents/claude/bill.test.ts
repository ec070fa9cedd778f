/** The quick bill, which skips most records, equals the full tally on sound and damaged files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import { tallyOf } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { listSessions } from "./discover.ts";
import { bill } from "./bill.ts";
import { read } from "./session.ts";

const HOME = join(import.meta.dirname, "fixtures/home");

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

/** Returns whether the quick bill applies to this source. */
function expectBilled(source: SessionSource, env: AgentEnv): boolean {
  const billed = bill(source, env, new ReadNotes());
  if (billed === undefined) return false;
  const { usage, reportedTotals, placed, head } = tallyOf(read(source, env, new ReadNotes())!);
  expect(billed.usage).toEqual(usage);
  expect(billed.reportedTotals).toEqual(reportedTotals);
  expect(billed.placed).toBe(placed);
  expect(billed.head).toEqual({
    title: "",
    createdMs: head.createdMs,
    ...(head.startedMs === undefined ? {} : { startedMs: head.startedMs }),
  });
  return true;
}

describe("a bill", () => {
  it("of most recorded sessions is known without reading them whole", () => {
    const env = envOf(HOME);
    const sources = listSessions(env, new ReadNotes());
    const billed = sources.filter((source) => expectBilled(source, env));
    expect(billed.length).toBeGreaterThan(sources.length / 2);
  });

  it("equals the tally however a file is damaged", () => {
    const home = tempHome(HOME);
    const env = envOf(home.path);
    const files = listSessions(env, new ReadNotes()).flatMap((source) => source.files);
    const random = randomFrom(7);
    for (const { path } of files) {
      const sound = readFileSync(path);
      for (let round = 0; round < 12; round++) {
        writeFileSync(path, damaged(sound, random));
        const source = listSessions(env, new ReadNotes()).find((each) => each.files.some((file) => file.path === path));
        if (source) expectBilled(source, env);
      }
      writeFileSync(path, sound);
    }
  });

  it("equals the tally when numbers, dates and blanks are written in other ways", () => {
    const home = tempHome(HOME);
    const env = envOf(home.path);
    const random = randomFrom(23);
    const respelt = (line: string): string =>
      [
        line,
        line.replace(/"(input|output)_tokens":(\d+)/g, '"$1_tokens":$2.0'),
        line.replace(/"timestamp":"([^"]*)Z"/, '"timestamp":"$1+00:00"'),
        line.replace(/"timestamp":"[^"]*"/, '"timestamp":"some day"'),
        line.startsWith("{") ? JSON.stringify(JSON.parse(line), undefined, 1).replaceAll("\n", " ") : line,
      ][random(5)]!;
    for (const { path } of listSessions(env, new ReadNotes()).flatMap((source) => source.files)) {
      if (!path.endsWith(".jsonl")) continue;
      const text = readFileSync(path, "utf8").split("\n").map(respelt).join("\n");
      writeFileSync(path, text);
    }
    for (const source of listSessions(env, new ReadNotes())) expectBilled(source, env);
  });
});
