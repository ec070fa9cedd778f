/** An archive in its own database, and machines that push to it. */
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ArchiveSessions } from "../../../src/archive/answers/archive-sessions.ts";
import { parseAddress } from "../../../src/archive/address.ts";
import { addMember } from "../../../src/archive/members.ts";
import { push, type PushOptions, type PushResult } from "../../../src/archive/push.ts";
import { readRules } from "../../../src/redaction/user-rules.ts";
import { connected } from "../../../src/archive/store/connection.ts";
import { migrate } from "../../../src/archive/store/migrate.ts";
import { createClient, type AgentEnv, type AgentMuxClient } from "../../../src/index.ts";
import { fixturesOf } from "../../history/recorded-home.ts";
import { recordedAgents } from "../../support/planted-secrets.ts";
import type { Postgres } from "./postgres.ts";

const HOMES: Record<string, string> = { hermes: "live-home", opencode: "home-wal" };

/** Agents whose recordings say what was typed and served. */
export const RECORDED: readonly string[] = recordedAgents()
  .map(({ agent }) => agent)
  .filter((agent) => existsSync(join(fixturesOf(agent), "MANIFEST.json")));

/** Copies the recordings of all agents into one home. */
export function recordedHome(path: string, agents = RECORDED): string {
  for (const agent of agents)
    cpSync(join(fixturesOf(agent), HOMES[agent] ?? "home"), path, { recursive: true, preserveTimestamps: true });
  return path;
}

export function envOf(home: string, vars: Record<string, string> = {}): AgentEnv {
  return { home, platform: "linux", vars };
}

export interface Archive {
  database: string;
  address(role: string): string;
  sessions(role: string, env: AgentEnv): ArchiveSessions;
}

let made = 0;
let template: Promise<void> | undefined;
const TEMPLATE = "archive_template";

/** Owned by the role `keeper`; `alice` and `bob` are in the team `red`, `carol` is in `blue`. */
export async function makeArchive(postgres: Postgres): Promise<Archive> {
  await (template ??= makeTemplate(postgres));
  const database = `archive_${++made}`;
  await postgres.sql(`CREATE DATABASE ${database} OWNER keeper TEMPLATE ${TEMPLATE}`);
  const address = (role: string): string => postgres.address(role, database);
  return { database, address, sessions: (role, env) => new ArchiveSessions(parseAddress(address(role)), env) };
}

async function makeTemplate(postgres: Postgres): Promise<void> {
  for (const role of ["keeper", "alice", "bob", "carol"]) await postgres.sql(`CREATE ROLE ${role} LOGIN`);
  await postgres.sql(`CREATE DATABASE ${TEMPLATE} OWNER keeper`);
  await connected(parseAddress(postgres.address("keeper", TEMPLATE)), async (connection) => {
    await migrate(connection);
    await addMember(connection, { member: "alice", team: "red" });
    await addMember(connection, { member: "bob", team: "red" });
    await addMember(connection, { member: "carol", team: "blue" });
  });
}

/** Like `amux archive push` on a machine with this home. */
export async function pushFrom(
  archive: Archive,
  role: string,
  env: AgentEnv,
  options: Partial<PushOptions> & { client?: AgentMuxClient } = {},
): Promise<PushResult> {
  const { client = createClient({ env }), ...rest } = options;
  return connected(parseAddress(archive.address(role)), (connection) =>
    client.sessions.withCatalogs({}, (catalogs) =>
      push(connection, catalogs, {
        machine: "one",
        rules: readRules(env),
        runs: client.sessions.runs.runs,
        prices: client.sessions.prices,
        ...rest,
      }),
    ),
  );
}

const TABLES = ["messages", "helpers", "usage", "family", "passages"];

/** Every row, without ids that depend on the insertion order. */
export async function contentsOf(postgres: Postgres, { database }: Archive): Promise<Record<string, string[]>> {
  const name = "s.owner, s.agent, s.session_id, s.digest";
  const lines: Record<string, string> = {
    sessions: `concat_ws(' ', ${name}, s.team, s.title, s.created_ms, s.updated_ms, s.message_count, s.length, s.head::text)
     FROM amux.sessions s`,
    copies: `concat_ws(' ', ${name}, c.machine, c.redactions)
     FROM amux.copies c JOIN amux.sessions s ON s.id = c.session`,
    runs: "concat_ws(' ', owner, run_id, run::text) FROM amux.runs",
  };
  for (const table of TABLES) {
    lines[table] = `concat_ws(' ', ${name}, t.place, t.digest)
     FROM amux.${table} t JOIN amux.sessions s ON s.id = t.session`;
  }
  // One query: each connection costs the server a process.
  const query = Object.entries(lines).map(([table, rows]) => `SELECT '${table}', ${rows}`);
  const found = await postgres.sql<{ from: string; line: string }>(
    `SELECT * FROM (${query.join(" UNION ALL ")}) AS rows ("from", line) ORDER BY line`,
    [],
    database,
  );
  const contents: Record<string, string[]> = Object.fromEntries(Object.keys(lines).map((table) => [table, []]));
  for (const { from, line } of found) contents[from]!.push(line);
  return contents;
}

/** The whole database as text. */
export async function dumpOf(postgres: Postgres, { database }: Archive): Promise<string> {
  const tables = ["sessions", ...TABLES, "spending", "runs", "copies", "sharing"];
  const rows = await Promise.all(tables.map((table) => postgres.sql(`SELECT * FROM amux.${table}`, [], database)));
  return JSON.stringify(rows);
}
