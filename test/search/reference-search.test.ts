import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Session } from "../../src/core/session.ts";
import { changeLabel } from "../../src/history/session-labels.ts";
import { createClient, type AgentMuxClient, type SessionQuery } from "../../src/index.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { isLong } from "../torture/long-form.ts";
import { Random } from "./random.ts";
import { ClaudeSession, randomHome, type RandomHome } from "./random-corpus.ts";
import { isFound, randomQuestion, typed } from "./reference.ts";

const CORPORA = isLong ? 12 : 1;
const QUESTIONS = isLong ? 24 : 16;
/** Without an index all files are read, so that the short form asks only some questions that way. */
const EVERY = { use: 1, none: isLong ? 1 : 4 };

async function sessionsIn({ path }: RandomHome): Promise<Session[]> {
  const sessions = standingSessions(path);
  const rows = await sessions.listAll({ limit: 10_000, counts: false });
  return Promise.all(
    rows.map(async (row) => {
      const session = await sessions.get(row.agent, row.sessionId);
      // List and search show the catalog's title.
      return { ...session, title: row.title, createdAt: row.createdAt, updatedAt: row.updatedAt };
    }),
  );
}

async function foundBy(client: AgentMuxClient, query: SessionQuery): Promise<string[]> {
  const hits = await client.sessions.search({ limit: 10_000, foldCopies: false, ...query });
  return hits.map((hit) => hit.unifiedId).sort();
}

interface Corpus {
  random: Random;
  home: RandomHome;
  client: AgentMuxClient;
}

function corpusOf(seed: number): Corpus {
  const random = new Random(seed);
  const home = randomHome(random, tempHome().path);
  return { random, home, client: createClient({ env: { home: home.path, platform: "linux", vars: {} } }) };
}

/** Compares random queries with the reference, with and without the index. */
async function compare(
  { random, home, client }: Corpus,
  questions: number,
  ways: ("none" | "use")[],
  sessions?: readonly Session[],
): Promise<void> {
  sessions ??= await sessionsIn(home);
  let found = 0;
  for (let number = 0; number < questions; number++) {
    const question = randomQuestion(random);
    const text = typed(question);
    const expected = sessions.filter((session) => isFound(question, session)).map((session) => session.unifiedId);
    found += expected.length;
    for (const index of ways.filter((way) => number % EVERY[way] === 0))
      expect(await foundBy(client, { text, index }), `${index}: ${text}`).toEqual(expected.sort());
  }
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(questions * sessions.length);
}

const corpora = Array.from({ length: CORPORA }, (_, index) => index + 1);
/** A seed with a last record longer than the end that a list reads. */
const LONG_LAST_RECORD = 506;
/** A seed where a changed session has its title in an unchanged session's file. */
const TITLED_ELSEWHERE = 1019;

describe("the same query finds the same sessions", () => {
  it.each([...corpora, LONG_LAST_RECORD])("with and without an index, corpus %i", async (seed) => {
    const corpus = corpusOf(seed);
    await settled(corpus.home);
    await corpus.client.sessions.buildIndex();
    const { agents } = await corpus.client.sessions.indexStatus();
    expect(agents.every(({ sessions, current }) => sessions === current)).toBe(true);
    await compare(corpus, QUESTIONS, ["none", "use"]);
  });

  it.each([1, TITLED_ELSEWHERE])("by the names they were given as well as by their titles, corpus %i", async (seed) => {
    const corpus = corpusOf(200 + seed);
    const { random, home, client } = corpus;
    await settled(home);
    await client.sessions.buildIndex();
    const env = { home: home.path, platform: "linux", vars: {} } as const;
    const sessions = await sessionsIn(home);
    for (const session of sessions) {
      if (random.chance(0.5)) continue;
      const name = `${random.pick(["Retry", "café", "parser"])} ${random.pick(["policy", "検索", "file"])}`;
      changeLabel(env, session.unifiedId, (label) => ({ ...label, name }));
      session.title = `${name} ${session.title}`;
    }
    await compare(corpus, QUESTIONS, ["none", "use"], sessions);
  });

  it.each([...corpora, TITLED_ELSEWHERE])("with an index that is behind its stores, corpus %i", async (seed) => {
    const corpus = corpusOf(100 + seed);
    const { random, home, client } = corpus;
    // Old enough to be cached, so that every change must show.
    await settled(home);
    await client.sessions.buildIndex();
    for (const session of home.claude) change(random, session);
    home.claude.push(new ClaudeSession(random, home.path).turns(3));
    home.claude.at(-1)!.write();
    home.addOpenCode(1);
    await compare(corpus, QUESTIONS / 2, ["use"]);
    await settled(home);
    await client.sessions.buildIndex();
    await compare(corpus, QUESTIONS / 2, ["use"]);
    const { agents } = await client.sessions.indexStatus();
    expect(agents.map(({ outdated, missing }) => outdated + missing)).toEqual(agents.map(() => 0));
  });
});

/** Files grow, are replaced, cut, moved, removed, or left alone. */
function change(random: Random, session: ClaudeSession): void {
  const [directory, name] = [dirname(session.file), basename(session.file)];
  switch (random.int(0, 6)) {
    case 0:
    case 1:
      return appendFileSync(session.file, session.turns(2).takeNew());
    case 2: {
      writeFileSync(`${session.file}.new`, session.turns(1).text);
      return renameSync(`${session.file}.new`, session.file);
    }
    case 3:
      return truncateSync(session.file, Math.floor(session.text.length / 2));
    case 4:
      mkdirSync(`${directory}-moved`, { recursive: true });
      return renameSync(session.file, join(`${directory}-moved`, name));
    case 5:
      return rmSync(session.file);
    default:
  }
}

/** Waits until the files are old enough for the index to trust their times. */
async function settled(home: RandomHome): Promise<void> {
  const listed = await createClient({ env: { home: home.path, platform: "linux", vars: {} } }).sessions.catalogs();
  const newest = Math.max(
    ...listed.flatMap((catalog) =>
      catalog.ids().flatMap((id) => catalog.source(id)!.files.map((file) => file.mtimeMs)),
    ),
  );
  await vi.waitUntil(() => Date.now() - newest > 100);
}
