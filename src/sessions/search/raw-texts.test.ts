/** Texts as they lie in files are the texts that reading them gives, on sound files and on damaged ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, History, SessionSource } from "../../agents/adapter.ts";
import { BUILTIN_AGENTS } from "../../agents/builtin.gen.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import { documentOf, textsOf, type DocumentMessage } from "./document.ts";
import { BlockReader, eachRow } from "./word-block.ts";
import { WordGatherer } from "./word-gatherer.ts";

const AGENTS = join(import.meta.dirname, "../../agents");

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

const gatherer = new WordGatherer();

interface Gathered {
  words: string[];
  positions: number;
  units: number;
}

function gathered(add: () => Omit<Gathered, "words">): Gathered {
  gatherer.clear();
  gatherer.startRow(1);
  const added = add();
  const words: string[] = [];
  const word = Buffer.alloc(1024);
  for (const block of gatherer.blocks()) {
    const reader = new BlockReader(block);
    while (reader.next()) {
      word.set(block.subarray(reader.start, reader.end), reader.shared);
      words.push(word.toString("utf8", 0, reader.shared + reader.end - reader.start));
      eachRow(block, reader.rowsStart, reader.rowsEnd, (row) => expect(row).toBe(1));
    }
  }
  return { words, ...added };
}

function wordsOf({ parts }: DocumentMessage): Gathered {
  return gathered(() => ({
    positions: parts.reduce((sum, { text }) => sum + gatherer.add(text), 0),
    units: parts.reduce((sum, { text }) => sum + text.length, 0),
  }));
}

function factsOf(message: DocumentMessage): unknown {
  const { index, role, model, subagent, startsPassage, passageLength, timestamp, parts, tools } = message;
  return { index, role, model, subagent, startsPassage, passageLength, timestamp, parts, tools };
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

/** Answers whether it could be had so. */
function expectSame(history: History, source: SessionSource, env: AgentEnv): boolean {
  const [notes, notesOfReader] = [new ReadNotes(), new ReadNotes()];
  const texts = attempt(() => history.texts!(source, env, notes));
  if (texts instanceof Error) expect(() => history.read(source, env, notesOfReader, "text")).toThrow(texts.message);
  if (texts === undefined || texts instanceof Error) return false;
  const reader = history.read(source, env, notesOfReader, "text")!;
  const messages: unknown[] = [];
  const expected: unknown[] = [];
  for (const message of documentOf(texts)) {
    if (message.raw) {
      const raw = gathered(() => gatherer.addRaw(message.raw!));
      expect(raw).toEqual(wordsOf(message));
      message.length = raw.units;
    }
    messages.push(factsOf(message));
  }
  for (const message of documentOf(textsOf(reader))) expected.push(factsOf(message));
  expect(messages).toEqual(expected);
  expect(texts.growthPoint?.()).toEqual(reader.growthPoint?.());
  expect(notes).toEqual(notesOfReader);
  return true;
}

describe.each(["claude", "codex"])("texts of %s", (name) => {
  const home = join(AGENTS, name, "fixtures/home");

  it("are those of every recorded session, of most without parsing it", async () => {
    const { history } = (await BUILTIN_AGENTS[name as "claude"]()).default;
    const env = envOf(home);
    const sources = history!.listSessions(env, new ReadNotes());
    const quick = sources.filter((source) => expectSame(history!, source, env));
    expect(quick.length).toBeGreaterThan(sources.length / 2);
  });

  it("are the same however a file is damaged", async () => {
    const { history } = (await BUILTIN_AGENTS[name as "claude"]()).default;
    const copy = tempHome(home);
    const env = envOf(copy.path);
    const random = randomFrom(11);
    for (const { path } of history!.listSessions(env, new ReadNotes()).flatMap(({ files }) => files)) {
      const sound = readFileSync(path);
      for (let round = 0; round < 6; round++) {
        writeFileSync(path, damaged(sound, random));
        const sources = history!.listSessions(env, new ReadNotes());
        const source = sources.find(({ files }) => files.some((file) => file.path === path));
        if (source) expectSame(history!, source, env);
      }
      writeFileSync(path, sound);
    }
  });
});
