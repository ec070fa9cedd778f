/** Reading rows whose columns and values cannot be relied on. */
import type { ReadOnlyDatabase } from "../../lib/sqlite.ts";

/**
 * A select list for `names` of a table: what this version of the schema lacks comes as NULL. Whole numbers come as
 * floats, because the binding throws on one beyond 2^53, and one broken counter would cost the whole answer.
 */
export function columnList(database: ReadOnlyDatabase, table: string, alias: string, names: readonly string[]): string {
  return names
    .map((name) =>
      database.hasColumn(table, name) ? `${safe(`${alias}."${name}"`)} AS "${name}"` : `NULL AS "${name}"`,
    )
    .join(", ");
}

/** All columns of a table, with the same care. */
export function allColumns(database: ReadOnlyDatabase, table: string, alias: string): string {
  return columnList(
    database,
    table,
    alias,
    [...database.columns(table)].filter((name) => !name.includes('"')),
  );
}

function safe(column: string): string {
  return `CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS REAL) ELSE ${column} END`;
}

/** Text that may hold NUL characters, which would end the string in the binding; to be read with `textFromBytes`. */
export function bytesColumn(column: string, name: string): string {
  return `CAST(${column} AS BLOB) AS "${name}"`;
}

export function textFromBytes(value: unknown): string {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8")
    : "";
}
