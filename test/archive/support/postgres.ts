/**
 * A real PostgreSQL for all test files of a worker process, in a temporary directory on a Unix socket. It refuses to run as root.
 * It ends with the process, however that ends.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { postgresPrograms } from "../../../scripts/test-programs.mjs";
import { waitFor } from "../../support/wait-for.ts";

export interface Postgres {
  /** For a role without a password. */
  address(role: string, database?: string): string;
  /** Runs as the superuser. */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
    database?: string,
  ): Promise<Row[]>;
}

let running: Promise<Postgres> | undefined;

export function sharedPostgres(): Promise<Postgres> {
  return (running ??= startPostgres());
}

/** Its standard input closes when the test process ends. */
const KEEPER = '"$@" & cat; kill -QUIT $!; wait; rm -rf "$ROOT"';

/** Of no use to a server that nobody needs tomorrow, and they cost processor time. */
const SHORT_LIVED = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "autovacuum=off",
  "jit=off",
];

async function startPostgres(): Promise<Postgres> {
  const bin = programs();
  const root = mkdtempSync(join(tmpdir(), "amux-pg-"));
  const data = join(root, "data");
  const user = process.getuid?.() === 0 ? unprivileged() : undefined;
  mkdirSync(data, { mode: 0o700 });
  chmodSync(root, 0o755);
  if (user) for (const path of [root, data]) chownSync(path, user.uid, user.gid);
  const as = user ?? {};
  const options = { ...as, cwd: root, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } };
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...options,
    stdio: "ignore",
  });
  // One role needs its password.
  writeFileSync(join(data, "pg_hba.conf"), "local all careful scram-sha-256\nlocal all all trust\n");
  const settings = ["listen_addresses=", `unix_socket_directories=${root}`, "shared_buffers=32MB", ...SHORT_LIVED];
  const command = [join(bin, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const server = spawn("sh", ["-c", KEEPER, "sh", ...command], {
    ...options,
    env: { ...options.env, ROOT: root },
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  for (const held of [server, server.stdin as Socket, server.stderr as Socket]) held.unref();
  const address = (role: string, database = "postgres"): string =>
    `postgres:///${database}?host=${encodeURIComponent(root)}&user=${role}`;
  await waitFor("PostgreSQL", () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said}`);
    return said.includes("ready to accept connections") && existsSync(join(root, ".s.PGSQL.5432"));
  });
  return {
    address,
    sql: async (text, values, database) => {
      const client = new Client({ connectionString: address("postgres", database) });
      await client.connect();
      try {
        return (await client.query(text, values)).rows as never;
      } finally {
        await client.end();
      }
    },
  };
}

function programs(): string {
  const found = postgresPrograms();
  if (found !== undefined) return found;
  throw new Error("These tests need PostgreSQL, which npm test installs as root; else: apt-get install postgresql.");
}

function unprivileged(): { uid: number; gid: number } {
  for (const name of ["postgres", "nobody"]) {
    const { stdout, status } = spawnSync("id", ["-u", name], { encoding: "utf8" });
    const group = spawnSync("id", ["-g", name], { encoding: "utf8" });
    if (status === 0) return { uid: Number(stdout), gid: Number(group.stdout) };
  }
  throw new Error("There is no user postgres or nobody to run PostgreSQL as.");
}
