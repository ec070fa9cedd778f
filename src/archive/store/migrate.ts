/** Migrates the archive's tables to this program's version, one process at a time. */
import { AgentMuxError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { grantsTo, MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";

/** An arbitrary number; "amux" in ASCII. */
const MIGRATION_LOCK = 0x616d7578;

/** Undefined: this database has no archive. */
export async function schemaVersion(connection: Connection): Promise<number | undefined> {
  const [table] = await connection.rows<{ exists: boolean }>(
    "SELECT to_regclass('amux.schema_version') IS NOT NULL AS exists",
  );
  if (!table?.exists) return undefined;
  const [row] = await connection.rows<{ version: number }>("SELECT max(version) AS version FROM amux.schema_version");
  return row?.version ?? undefined;
}

/** Throws unless this program can read and write the archive. */
export async function requireSchema(connection: Connection): Promise<void> {
  const version = await schemaVersion(connection);
  if (version === SCHEMA_VERSION) return;
  if (version === undefined) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `There is no archive in ${connection.name} yet. Its owner creates one with amux archive init.`,
    );
  }
  throw new AgentMuxError(
    "CONFIG_ERROR",
    version > SCHEMA_VERSION
      ? `The archive in ${connection.name} was made by a newer amux (its tables are of version ${version}, this amux knows ${SCHEMA_VERSION}). Update amux.`
      : `The tables of the archive in ${connection.name} are of version ${version}; its owner brings them to ${SCHEMA_VERSION} with amux archive init.`,
  );
}

/** Returns the applied versions. */
export async function migrate(connection: Connection): Promise<number[]> {
  await connection.rows("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
  try {
    const current = (await schemaVersion(connection)) ?? 0;
    if (current > SCHEMA_VERSION) await requireSchema(connection);
    const applied: number[] = [];
    for (const { version, sql } of MIGRATIONS) {
      if (version <= current) continue;
      await connection.transaction(async () => {
        if (version === 1) {
          await connection.script(`
            CREATE SCHEMA IF NOT EXISTS amux;
            CREATE TABLE amux.schema_version (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
          `);
        }
        await connection.script(sql);
        await connection.rows("INSERT INTO amux.schema_version (version) VALUES ($1)", [version]);
      });
      applied.push(version);
    }
    if (applied.length > 0) await grantAgain(connection);
    return applied;
  } finally {
    await connection.rows("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  }
}

/** Existing members need rights on new tables and functions. */
async function grantAgain(connection: Connection): Promise<void> {
  const members = await connection.rows<{ role: string }>(
    "SELECT DISTINCT quote_ident(member) AS role FROM amux.members WHERE member IN (SELECT rolname FROM pg_roles)",
  );
  for (const { role } of members) await connection.script(grantsTo(role));
}
