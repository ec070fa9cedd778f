/**
 * Measures an archive: bytes per session, rows per second, query times. --keep continues an earlier run. Needs a build and
 * PostgreSQL.
 *   node bench/archive.mjs [--sessions 400] [--bytes 3200000] [--times 250] [--runs 5] [--keep DIR]
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startServer } from "./archive-server.mjs";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", default: "400" },
    bytes: { type: "string", default: "3200000" },
    times: { type: "string", default: "250" },
    runs: { type: "string", default: "5" },
    keep: { type: "string" },
  },
});
const times = Number(options.times);
const root = join(import.meta.dirname, "..");
const directory = options.keep ?? mkdtempSync(join(tmpdir(), "amux-bench-archive-"));
const home = join(directory, "home");
/** Results of earlier runs, by stage. */
const kept = join(directory, "stages.json");
const stages = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {};
const server = await startServer(directory);
process.once("SIGTERM", () => void server.stop().then(() => process.exit(1)));
const TABLES = ["sessions", "copies", "messages", "helpers", "usage", "spending", "family", "passages"];
const rows = [];
try {
  await stage("pushing", push);
  await stage("multiplying", multiply);
  await stage("indexing", index);
  await stage("adding up", settle);
  await ask();
  print();
} finally {
  await server.stop();
  if (options.keep === undefined) rmSync(directory, { recursive: true, force: true });
}

async function stage(name, work) {
  if (stages[name] === undefined) {
    console.error(`${name} …`);
    const from = rows.length;
    await work();
    stages[name] = rows.slice(from);
    writeFileSync(kept, JSON.stringify(stages));
  } else rows.push(...stages[name]);
}

function add(what, figure, against = "") {
  rows.push([what, figure, against]);
}

function run(command, args, vars = {}) {
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: { PATH: process.env.PATH, HOME: home, AMUX_ARCHIVE: server.address("alice", "team"), ...vars },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return { ms: performance.now() - started, stdout };
}

function amux(...args) {
  return run(process.execPath, [join(root, "dist/amux.cjs"), ...args]);
}

async function sql(text, database = "team", role = "postgres") {
  const client = new Client({ connectionString: server.address(role, database) });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function push() {
  const generator = join(root, "bench/gen-corpus.mjs");
  run(process.execPath, [generator, "--out", home, "--sessions", options.sessions, "--bytes", options.bytes]);
  for (const role of ["keeper", "alice", "bob"]) await sql(`CREATE ROLE ${role} LOGIN`, "postgres");
  await sql("CREATE DATABASE team OWNER keeper", "postgres");
  const keeper = { AMUX_ARCHIVE: server.address("keeper", "team") };
  const program = join(root, "dist/amux.cjs");
  run(process.execPath, [program, "archive", "init"], keeper);
  for (const role of ["alice", "bob"])
    run(process.execPath, [program, "archive", "members", "add", role, "--team", "all"], keeper);
  const review = amux("archive", "review", "--all", "--json");
  const first = amux("archive", "push");
  const again = amux("archive", "push");
  await measureRows(first.ms, review.ms, again.ms);
  restore(first.ms);
}

async function measureRows(pushMs, reviewMs, againMs) {
  await sql("VACUUM (ANALYZE) amux.sessions, amux.messages, amux.usage, amux.passages, amux.copies, amux.family");
  const [{ sessions, messages, requests, characters }] = await sql(
    `SELECT (SELECT count(*) FROM amux.sessions)::integer AS sessions, (SELECT count(*) FROM amux.messages)::integer AS messages,
       (SELECT count(*) FROM amux.usage)::integer AS requests,
       (SELECT sum(length(content) + length(coalesce(thinking, '')) + length(details::text)) FROM amux.messages)::integer AS characters`,
  );
  add("sessions pushed", `${sessions}, ${messages} messages, ${requests} requests, ${mega(characters)} of text`);
  let total = 0;
  let count = 0;
  const sizes = {};
  for (const table of TABLES) {
    const [{ bytes, n }] = await sql(
      `SELECT pg_total_relation_size('amux.${table}')::bigint::float8 AS bytes, (SELECT count(*) FROM amux.${table})::integer AS n`,
    );
    total += bytes;
    count += n;
    sizes[table] = bytes;
    add(`  ${table}`, `${(bytes / sessions / 1024).toFixed(1)} KB per session`, `${n} rows`);
  }
  add(
    "all tables and indexes",
    `${(total / sessions / 1024).toFixed(1)} KB per session`,
    `${(total / characters).toFixed(2)} × the text`,
  );
  add("  a message, in its two tables", `${((sizes.messages + sizes.passages) / messages / 1024).toFixed(2)} KB`);
  add("  a request, in its two tables", `${((sizes.usage + sizes.spending) / requests / 1024).toFixed(2)} KB`);
  add(
    "push",
    `${(sessions / (pushMs / 1000)).toFixed(1)} sessions/s, ${(count / (pushMs / 1000)).toFixed(0)} rows/s`,
    `${(pushMs / sessions).toFixed(1)} ms per session`,
  );
  add(
    "  of it reading and redacting",
    `${(reviewMs / sessions).toFixed(1)} ms per session`,
    `${((100 * reviewMs) / pushMs).toFixed(0)} % of the push`,
  );
  add("push again, nothing changed", `${againMs.toFixed(0)} ms`, `${(againMs / sessions).toFixed(2)} ms per session`);
}

/** Restores the same rows with PostgreSQL's own tools: the lower bound for any client. */
function restore(pushMs) {
  const file = join(directory, "dump");
  const to = ["-h", directory, "-U", "postgres"];
  run(join(server.bin, "pg_dump"), [...to, "-Fc", "-f", file, "team"]);
  run(join(server.bin, "createdb"), [...to, "restored"]);
  const { ms } = run(join(server.bin, "pg_restore"), [...to, "-d", "restored", file]);
  add("pg_restore of the same", `${ms.toFixed(0)} ms`, `push takes ${(pushMs / ms).toFixed(1)} × that`);
}

/** Copies every session with its own ids, teams and dates. */
async function multiply() {
  const columns = async (table) =>
    (
      await sql(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'amux' AND table_name = '${table}' ORDER BY ordinal_position`,
      )
    ).map(({ name }) => name);
  await sql("ALTER TABLE amux.sessions ADD COLUMN seed bigint");
  await sql("DROP INDEX amux.passages_by_word");
  const step = 3_600_000;
  const facts = (await columns("sessions")).filter((name) => !["id", "seed"].includes(name));
  const changed = {
    session_id: "s.session_id || '-' || k",
    digest: "s.digest || k",
    created_ms: `s.created_ms - k * ${step}.0`,
    updated_ms: `s.updated_ms - k * ${step}.0`,
    settled: "NULL",
    related: "true",
    team: "CASE WHEN k % 10 = 0 THEN 'all' END",
    // Otherwise all copies would count as forks of one session.
    head: "(s.head::jsonb - 'familyKeys' - 'forkedFrom')::json",
    whole_head: "(s.whole_head::jsonb - 'familyKeys' - 'forkedFrom')::json",
  };
  await sql(
    `INSERT INTO amux.sessions (${facts.join(", ")}, seed)
     SELECT ${facts.map((name) => changed[name] ?? `s.${name}`).join(", ")}, s.id
     FROM amux.sessions s, generate_series(1, ${times - 1}) k WHERE s.seed IS NULL`,
  );
  const parts = {
    usage: { key: "t.key || s.id", at_ms: `t.at_ms - (s.id % ${times}) * ${step}.0` },
    family: { key: "t.key || s.id" },
  };
  for (const table of ["messages", "helpers", "usage", "family", "passages"]) {
    const own = (await columns(table)).filter((name) => name !== "session");
    await sql(
      `INSERT INTO amux.${table} (session, ${own.join(", ")})
       SELECT s.id, ${own.map((name) => parts[table]?.[name] ?? `t.${name}`).join(", ")}
       FROM amux.sessions s JOIN amux.${table} t ON t.session = s.seed`,
    );
  }
  await sql("ALTER TABLE amux.sessions DROP COLUMN seed");
}

async function index() {
  const started = performance.now();
  await sql("SET maintenance_work_mem = '512MB'; CREATE INDEX passages_by_word ON amux.passages USING gin (words)");
  add(`full-text index of ${times} × as much, built at once`, `${((performance.now() - started) / 1000).toFixed(1)} s`);
  await sql("VACUUM (ANALYZE)");
}

/** The copies were inserted without the program and so not summed; the next push does that. */
async function settle() {
  const { ms } = amux("archive", "push");
  const each = `${(ms / times / Number(options.sessions)).toFixed(2)} ms per session`;
  add("adding up what they spent, for reports", `${(ms / 1000).toFixed(1)} s`, each);
  await sql("VACUUM (ANALYZE)");
}

async function indexes() {
  const found = await sql(
    `SELECT indexrelid::regclass::text AS name, pg_relation_size(indexrelid)::float8 AS bytes FROM pg_index
     WHERE indrelid::regclass::text LIKE 'amux.%' ORDER BY 2 DESC LIMIT 8`,
  );
  for (const { name, bytes } of found) add(`  index ${name.replace("amux.", "")}`, mega(bytes));
}

async function ask() {
  const [{ sessions, messages, requests, size }] = await sql(
    `SELECT (SELECT count(*) FROM amux.sessions)::integer AS sessions, (SELECT count(*) FROM amux.messages)::integer AS messages,
       (SELECT count(*) FROM amux.usage)::integer AS requests, pg_database_size('team')::float8 AS size`,
  );
  add("questions at", `${sessions} sessions, ${messages} messages, ${requests} requests, ${mega(size)} on disk`);
  await indexes();
  const bare = median(() => amux("--version").ms);
  add("amux --version", `${bare.toFixed(0)} ms`);
  const [{ id, newest }] = await sql(
    "SELECT agent || ':' || session_id AS id, max(updated_ms) OVER () AS newest FROM amux.sessions LIMIT 1",
  );
  const days = (count) => new Date(newest - count * 86_400_000).toISOString();
  const questions = [
    ["sessions", "list"],
    ["sessions", "list", "--sort", "turns", "--limit", "20"],
    ["sessions", "show", id],
    ["sessions", "search", "velociraptorium"],
    ["sessions", "search", '"marzipan lighthouse"'],
    ["sessions", "search", "function"],
    ["cost", "report", "--since", days(1), "--group-by", "model"],
    ["cost", "report", "--since", days(30), "--group-by", "model"],
    ["cost", "report", "--group-by", "model"],
    ["cost", "report", "--group-by", "day,project"],
  ];
  for (const question of questions) {
    const ms = median(() => amux(...question, "--archive", "default", "--json").ms);
    add(`amux ${question.join(" ")}`, `${ms.toFixed(0)} ms`, `${(ms / bare).toFixed(1)} × amux --version`);
  }
  // With other prices no stored sum is usable: every request is read again.
  const own = join(home, ".agent-mux/prices.json");
  mkdirSync(join(home, ".agent-mux"), { recursive: true });
  writeFileSync(own, JSON.stringify({ "some-model": { input: 1, output: 1 } }));
  const live = amux("cost", "report", "--group-by", "model", "--archive", "default", "--json").ms;
  rmSync(own);
  add(
    "the last but one, request by request (other prices)",
    `${live.toFixed(0)} ms`,
    `${(live / bare).toFixed(1)} × amux --version`,
  );
  const bob = ["sessions", "search", "function", "--archive", server.address("bob", "team"), "--json"];
  const ms = median(() => amux(...bob).ms);
  add(
    "amux sessions search function, by who sees a tenth",
    `${ms.toFixed(0)} ms`,
    `${(ms / bare).toFixed(1)} × amux --version`,
  );
}

function median(measure) {
  const figures = Array.from({ length: Number(options.runs) }, measure).sort((a, b) => a - b);
  return figures[Math.floor(figures.length / 2)];
}

function mega(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function print() {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const [what, figure, against] of rows) {
    console.log(`${what.padEnd(widths[0])}  ${figure.padEnd(widths[1])}  ${against}`.trimEnd());
  }
}
