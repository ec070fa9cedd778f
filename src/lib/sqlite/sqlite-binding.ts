/** The SQLite library, loaded when a database is first opened: most commands open none, and native code takes its time. */
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
 * The native part itself where it lies in its usual place. What the package does before it loads the same file takes five
 * times as long, and nothing of what it adds is used here; nor is it a module of Node's, which would look for more.
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
      // Built here, or for a system that the package knows better.
    }
  }
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)(PACKAGE) as Binding;
}

/** In the directory of packages of this program, or of one that it is part of. */
function fileBeside(name: string): string | undefined {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const file = join(directory, "node_modules", name);
    if (existsSync(file)) return file;
    if (directory === dirname(directory)) return undefined;
  }
}
