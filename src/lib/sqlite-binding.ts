/** The SQLite library, loaded when a database is first opened: most commands open none, and native code takes its time. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DatabaseSync } from "@photostructure/sqlite";

export type { StatementSyncInstance } from "@photostructure/sqlite";
export type SqliteConnection = InstanceType<typeof DatabaseSync>;

type Binding = typeof import("@photostructure/sqlite");
const PACKAGE = "@photostructure/sqlite";
let binding: Binding | undefined;

export function connectSqlite(
  path: ConstructorParameters<typeof DatabaseSync>[0],
  options: ConstructorParameters<typeof DatabaseSync>[1],
): SqliteConnection {
  binding ??= load();
  return new binding.DatabaseSync(path, options);
}

/**
 * The native part itself where it lies in its usual place. What the package does before it loads the same file takes five
 * times as long, and nothing of what it adds is used here.
 */
function load(): Binding {
  const require = createRequire(import.meta.url);
  const name = join("prebuilds", `${process.platform}-${process.arch}`, "@photostructure+sqlite.glibc.node");
  // To resolve the package would read and parse what it says of itself.
  const files = (require.resolve.paths(PACKAGE) ?? []).map((folder) => join(folder, PACKAGE, name));
  const file = existsSync("/etc/alpine-release") ? undefined : files.find((path) => existsSync(path));
  if (file !== undefined) {
    try {
      return require(file) as Binding;
    } catch {
      // Built here, or for a system that the package knows better.
    }
  }
  return require(PACKAGE) as Binding;
}
