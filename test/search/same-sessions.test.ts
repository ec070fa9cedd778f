import { describe, expect, it } from "vitest";
import type { Session } from "../../src/core/session.ts";
import { createClient, type AgentMuxClient, type SessionQuery } from "../../src/index.ts";
import { tempHome } from "../support/temp-home.ts";
import { Random } from "./random.ts";
import { randomHome, type RandomHome } from "./random-corpus.ts";
import { isFound, randomQuestion, typed } from "./reference.ts";

const CORPORA = 6;
const QUESTIONS = 60;

async function sessionsOf(client: AgentMuxClient): Promise<Session[]> {
  const rows = await client.sessions.listAll({ limit: 10_000, counts: false });
  return Promise.all(
    rows.map(async (row) => {
      const session = await client.sessions.get(row.agent, row.sessionId);
      // Listing and search show the title the catalog settled on.
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

/** Asks random questions and compares with the reference, in each of the ways. */
async function compare({ random, client }: Corpus, questions: number, ways: SessionQuery["index"][]): Promise<void> {
  const sessions = await sessionsOf(client);
  let found = 0;
  for (let number = 0; number < questions; number++) {
    const question = randomQuestion(random);
    const text = typed(question);
    const expected = sessions.filter((session) => isFound(question, session)).map((session) => session.unifiedId);
    found += expected.length;
    for (const index of ways)
      expect(await foundBy(client, { text, index }), `${index}: ${text}`).toEqual(expected.sort());
  }
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(questions * sessions.length);
}

const corpora = Array.from({ length: CORPORA }, (_, index) => index + 1);

describe("the same query finds the same sessions", () => {
  it.each(corpora)("with and without an index, corpus %i", async (seed) => {
    const corpus = corpusOf(seed);
    await corpus.client.sessions.buildIndex();
    const { agents } = await corpus.client.sessions.indexStatus();
    expect(agents.every(({ sessions, current }) => sessions === current)).toBe(true);
    await compare(corpus, QUESTIONS, ["none", "use"]);
  });
});
