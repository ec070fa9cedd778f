import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleSessions } from "../../src/archive/answers/bundle-sessions.ts";
import type { SessionQuestions } from "../../src/archive/answers/archive-sessions.ts";
import { Bundle } from "../../src/archive/bundle.ts";
import { parseAddress } from "../../src/archive/address.ts";
import { pull } from "../../src/archive/pull.ts";
import { connected } from "../../src/archive/store/connection.ts";
import { Redactor } from "../../src/redaction/redactor.ts";
import {
  createClient,
  type CostAggregationOptions,
  type SessionListOptions,
  type SessionQuery,
  type SessionSummary,
} from "../../src/index.ts";
import type { SessionHit } from "../../src/history/search/results.ts";
import { changeLabel } from "../../src/history/session-labels.ts";
import { toSession } from "../../src/history/view.ts";
import { Random } from "../search/random.ts";
import { randomHome } from "../search/random-corpus.ts";
import { randomQuestion, typed } from "../search/reference.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { isLong } from "../torture/long-form.ts";
import { envOf, makeArchive, pushFrom, RECORDED, recordedHome } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

const QUESTIONS = isLong ? 40 : 20;

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

/** Compared as JSON. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A search does not look for parents that forks do not name; the archive got them with the push. */
function hits(found: readonly SessionHit[]): unknown {
  return plain(found.map(({ forkedFrom: _, ...hit }) => hit));
}

/** A redactor that changes nothing, since redacted words would not be found. */
class Careless extends Redactor {
  override text(text: string): string {
    return text;
  }
}

function tagged(home: string, rows: readonly SessionSummary[]): void {
  const lines = rows.slice(0, 12).map(({ agent, sessionId, updatedAt }, index) => ({
    v: 1,
    runId: `run-${index}`,
    agent,
    ...(index % 4 === 3 ? {} : { sessionId }),
    timestamp: updatedAt.toISOString(),
    tags: index % 2 === 0 ? ["even"] : ["odd", "nightly"],
    cost: { totalUsd: 0.25, inputTokens: 10, outputTokens: 20 },
  }));
  const path = join(home, ".agent-mux/run-index.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

describe("the recordings of all agents", () => {
  it("are listed, shown, searched and priced by the archive and a pulled bundle as by the local store", async () => {
    const home = recordedHome(tempHome().path);
    const env = envOf(home);
    const pushed = await createClient({ env }).sessions.listAll({ counts: false });
    tagged(home, pushed);
    const archived = await makeArchive(postgres);
    const { redactions, withheld } = await pushFrom(archived, "alice", env);
    expect({ redactions, withheld }).toEqual({ redactions: 0, withheld: [] });
    const directory = join(tempHome().path, "pulled");
    const fetch = () =>
      connected(parseAddress(archived.address("alice")), (connection) => pull(connection, new Bundle(directory), {}));
    const first = await fetch();
    expect(first.fetched).toBeGreaterThan(100);
    expect(await fetch()).toEqual({ fetched: 0, unchanged: first.fetched, failed: [] });

    // Labels are kept on this machine, and hold for archived sessions too.
    changeLabel(env, pushed[20]!.unifiedId, (label) => ({ ...label, tags: ["mine"], starred: true }));
    changeLabel(env, pushed[21]!.unifiedId, (label) => ({ ...label, starred: true }));
    const sessions = standingSessions(home);
    await sessions.buildIndex();
    const inDatabase = archived.sessions("alice", env);
    const pulled = bundleSessions(directory, env);
    const all = await sessions.listAll({ limit: 1000 });
    expect(all.length).toBe(first.fetched);
    const dates = all.map(({ createdAt }) => createdAt.getTime()).sort((a, b) => a - b);
    const [since, until] = [0.3, 0.8].map((share) => new Date(dates[Math.floor(dates.length * share)]!)) as [
      Date,
      Date,
    ];
    const { model, cwd } = all.find((row) => row.model !== undefined && row.cwd !== undefined) as {
      model: string;
      cwd: string;
    };
    const { branch } = all.find((row) => row.branch !== undefined)!;
    const lists = [
      {},
      { limit: 7 },
      { limit: 1000, counts: false },
      { limit: 9, sort: "turns", sortDirection: "asc" },
      { limit: 9, sort: "cost" },
      { limit: 1000, since, until },
      { limit: 3, model },
      { cwd },
      { under: cwd, limit: 3 },
      { under: dirname(cwd) },
      { under: "/" },
      { branch, limit: 2 },
      { title: "FIX", limit: 3 },
      { title: "100%_\\" },
      { only: new Set(all.slice(-2).map(({ unifiedId }) => unifiedId)) },
      { tags: ["nightly"] },
      { tags: ["nightly", "mine"] },
      { starred: true },
      { starred: true, only: new Set([pushed[20]!.unifiedId]) },
    ] as const;
    const costs = [
      { groupBy: ["agent", "model"] },
      { groupBy: ["day", "tag"], timeZone: "Asia/Kathmandu" },
      { groupBy: ["week", "agent"], timeZone: "Asia/Kathmandu" },
      { groupBy: ["hour"], timeZone: "Asia/Kathmandu" },
      { since, groupBy: "month" },
      { since, until, groupBy: "session" },
      { agent: "claude", since, groupBy: ["project", "branch"] },
      { tags: ["even"] },
      { tags: ["mine"] },
      { groupBy: "tag" },
      { model },
    ] as const;
    const searches = [
      { text: "error", sort: "relevance", limit: 6 },
      { text: "the", tags: ["mine", "odd"] },
      { text: "the", sort: "cost", limit: 4 },
      { text: '"exit code"', sort: "date" },
      { text: "file:src role:assistant", limit: 5 },
      { text: "-error fix* OR test", limit: 30 },
      { text: "model:gpt* the", foldCopies: false },
    ] as const;
    // Nothing changes from here on, so that the local store need not be listed for each question.
    const still = { staleMs: 600_000 };
    const compare = async <Options>(
      asked: readonly unknown[],
      ask: (sessions: SessionQuestions, options: Options) => Promise<unknown>,
    ): Promise<void> => {
      for (const [index, options] of (asked as readonly Options[]).entries()) {
        const expected = plain(await ask(sessions, options));
        // A bundle is queried by the same code; one question of each kind shows that it is complete.
        for (const archive of index === 0 ? [inDatabase, pulled] : [inDatabase]) {
          expect(plain(await ask(archive, options)), JSON.stringify(options)).toEqual(expected);
        }
      }
    };
    await compare<SessionListOptions>(lists, (from, options) => from.listAll({ ...options, ...still }));
    await compare<CostAggregationOptions>(costs, (from, options) => from.totalCost({ ...options, ...still }));
    await compare([{}, { since, until }], (from, options: CostAggregationOptions) => from.explainCost(options));
    await compare<SessionQuery>(searches, async (from, query) => hits(await from.search(query)));
    const [added] = await postgres.sql<{ sessions: number }>(
      "SELECT count(DISTINCT session)::integer AS sessions FROM amux.spending",
      [],
      archived.database,
    );
    expect(added?.sessions).toBeGreaterThan(20);
    const agents = [...new Set(all.map(({ agent }) => agent))];
    expect(agents.sort()).toEqual(RECORDED);
    await compare<string>(agents, (from, agent) => from.list(agent));
    const shown = agents.flatMap((agent) => all.filter((row) => row.agent === agent).slice(0, 1));
    await compare<SessionSummary>(shown, async (from, { agent, sessionId }) =>
      toSession(await from.open(agent, sessionId)),
    );
    await compare<SessionSummary>(shown, (from, { agent, sessionId }) =>
      from.matching(agent, sessionId.slice(0, 8)).then((ids) => ids.sort()),
    );
  });
});

it("random queries find the same sessions in the same order", async () => {
  const random = new Random(7);
  const home = randomHome(random, tempHome().path);
  const env = envOf(home.path);
  const { sessions } = createClient({ env });
  const archived = await makeArchive(postgres);
  await pushFrom(archived, "alice", env, { rules: { redactor: new Careless(), version: "none" } });
  const archive = archived.sessions("alice", env);
  let found = 0;
  for (let number = 0; number < QUESTIONS; number++) {
    const text = typed(randomQuestion(random));
    const query = { text, limit: random.int(1, 12), foldCopies: random.chance(0.5) };
    const expected = await sessions.search(query);
    found += expected.length;
    expect(hits(await archive.search(query)), text).toEqual(hits(expected));
  }
  expect(found).toBeGreaterThan(QUESTIONS);
});
