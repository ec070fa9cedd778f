import { describe, expect, it } from "vitest";
import type { Session } from "../../src/core/session.ts";
import { createClient, type AgentMuxClient, type SessionQuery } from "../../src/index.ts";
import { tempHome } from "../support/temp-home.ts";
import { Random } from "./random.ts";
import { randomHome } from "./random-corpus.ts";
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

describe("the same query finds the same sessions", () => {
  it.each(Array.from({ length: CORPORA }, (_, index) => index + 1))("without an index, corpus %i", async (seed) => {
    const random = new Random(seed);
    const home = randomHome(random, tempHome().path);
    const client = createClient({ env: { home: home.path, platform: "linux", vars: {} } });
    const sessions = await sessionsOf(client);
    for (let number = 0; number < QUESTIONS; number++) {
      const question = randomQuestion(random);
      const text = typed(question);
      const expected = sessions.filter((session) => isFound(question, session)).map((session) => session.unifiedId);
      expect(await foundBy(client, { text, index: "none" }), text).toEqual(expected.sort());
    }
  });
});
