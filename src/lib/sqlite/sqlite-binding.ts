/** The SQLite library, loaded on first use: most commands need no database, and native code loads slowly. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
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
 * Loads the native file directly from its usual place: the package's own loader takes five times as long and adds nothing used
 * here.
 */
function load(): Binding {
  const name = `${PACKAGE}/prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node`;
  const file = existsSync("/etc/alpine-release") ? undefined : fileBeside(name);
  if (file !== undefined) {
    try {
      const native = { exports: {} };
      process.dlopen(native, file);
      return native.exports as Binding;
    } catch {
      // Built locally, or for a system only the package knows.
    }
  }
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)(PACKAGE) as Binding;
}

/** In the packages of this program, or of the program that contains it. */
function fileBeside(name: string): string | undefined {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const file = join(directory, "node_modules", name);
    if (existsSync(file)) return file;
    if (directory === dirname(directory)) return undefined;
  }
}
