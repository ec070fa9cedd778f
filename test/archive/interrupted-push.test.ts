/** A push that is cut at each of its steps: stored sessions are complete, and the next push sends the rest. */
import { beforeAll, expect, it } from "vitest";
import { parseAddress } from "../../src/archive/address.ts";
import { push } from "../../src/archive/push.ts";
import { readRules } from "../../src/redaction/user-rules.ts";
import { Connection } from "../../src/archive/store/connection.ts";
import { createClient } from "../../src/index.ts";
import { madeAgent } from "../support/made-agent.ts";
import { tempHome } from "../support/temp-home.ts";
import { isLong } from "../torture/long-form.ts";
import { contentsOf, envOf, makeArchive, type Archive } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

const usage = (key: string) => ({
  key,
  at: Date.parse("2026-05-05T10:00:00Z"),
  model: "claude-sonnet-5",
  tokens: { input: 1, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1, thinking: 0 },
});
const SESSIONS = ["a", "b"].map((id) => ({
  id,
  head: { title: id, cwd: "/x" },
  messages: [{ role: "user" as const, content: `say ${id}` }],
  usage: [usage(id)],
}));

/** Cuts the connection before this query; resolves to whether the push completed. */
async function pushUntil(archive: Archive, cutAt: number): Promise<boolean> {
  const env = envOf(tempHome().path);
  const client = createClient({ env });
  client.adapters.register(madeAgent("made", SESSIONS));
  const connection = await Connection.open(parseAddress(archive.address("alice")));
  let asked = 0;
  let isCut = false;
  const rows = connection.rows.bind(connection);
  connection.rows = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
    if (!isCut && ++asked === cutAt) {
      isCut = true;
      await connection.close();
    }
    return rows<Row>(sql, values);
  };
  const options = { machine: "one", rules: readRules(env), runs: [], prices: client.sessions.prices, team: "red" };
  try {
    await client.sessions.withCatalogs({}, (catalogs) => push(connection, catalogs, options));
    return true;
  } catch (error) {
    if (!isCut) throw error;
    return false;
  } finally {
    if (!isCut) await connection.close();
  }
}

it(
  "a push leaves whole sessions wherever it is cut off, and the next one sends the rest",
  { timeout: 600_000 },
  async () => {
    const undisturbed = await makeArchive(postgres);
    expect(await pushUntil(undisturbed, 0)).toBe(true);
    const expected = await contentsOf(postgres, undisturbed);
    let cuts = 0;
    for (let step = 1; ; step += isLong ? 1 : 9) {
      const archive = await makeArchive(postgres);
      const isWhole = await pushUntil(archive, step);
      const half = await contentsOf(postgres, archive);
      // Each session is stored with all rows or not at all.
      for (const [table, lines] of Object.entries(half)) {
        for (const line of lines) expect(expected[table], `step ${step}, ${table}`).toContain(line);
      }
      for (const line of half["sessions"]!) {
        const id = line.split(" ").slice(0, 4).join(" ");
        const count = (of: Record<string, string[]>, table: string): number =>
          of[table]!.filter((row) => row.startsWith(id)).length;
        for (const table of ["copies", "messages", "usage", "passages"]) {
          expect(count(half, table), `step ${step}, ${table}`).toBe(count(expected, table));
        }
      }
      expect(await pushUntil(archive, 0)).toBe(true);
      expect(await contentsOf(postgres, archive), `step ${step}`).toEqual(expected);
      if (isWhole) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(3);
  },
);
