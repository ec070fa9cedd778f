/** Reads rows whose columns may be missing. */
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";

/** A select list for `names` of a table; columns that this schema version lacks become NULL. */
export function columnList(database: ReadOnlyDatabase, table: string, alias: string, names: readonly string[]): string {
  const has = (name: string): boolean => database.hasColumn(table, name);
  return names.map((name) => (has(name) ? `${alias}.${name} AS ${name}` : `NULL AS ${name}`)).join(", ");
}

/** Text that may contain NUL, which would end the string in the binding; read it with `textFromBytes`. */
export function bytesColumn(column: string, name: string): string {
  return `CAST(${column} AS BLOB) AS "${name}"`;
}

export function textFromBytes(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "";
}
