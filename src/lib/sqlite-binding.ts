/** The SQLite library, loaded when a database is first opened: most commands open none, and native code takes its time. */
import { createRequire } from "node:module";
import type { DatabaseSync } from "@photostructure/sqlite";

export type { StatementSyncInstance } from "@photostructure/sqlite";
export type SqliteConnection = InstanceType<typeof DatabaseSync>;

type Binding = typeof import("@photostructure/sqlite");
let binding: Binding | undefined;

export function connectSqlite(
  path: ConstructorParameters<typeof DatabaseSync>[0],
  options: ConstructorParameters<typeof DatabaseSync>[1],
): SqliteConnection {
  binding ??= createRequire(import.meta.url)("@photostructure/sqlite") as Binding;
  return new binding.DatabaseSync(path, options);
}
