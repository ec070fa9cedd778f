/** Reads a connection's password from `~/.pgpass`: `host:port:database:user:password`, `*` for any. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readText } from "../../lib/fs/foreign-file.ts";

interface Login {
  host: string;
  port: number;
  database?: string | undefined;
  user?: string | undefined;
}

/** Undefined: no match, or others can read the file, which PostgreSQL's own programs reject too. */
export function passwordFor(
  login: Login,
  path = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass"),
): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (process.platform !== "win32" && (stat.mode & 0o077) !== 0)) return undefined;
  // A database on a Unix socket matches the socket's directory, or localhost.
  const hosts = login.host.startsWith("/") ? [login.host, "localhost"] : [login.host];
  const wanted = [hosts, [String(login.port)], [login.database], [login.user]];
  for (const line of readText(path).split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    if (fields.length !== 5) continue;
    if (wanted.every((values, index) => fields[index] === "*" || values.includes(fields[index]))) return fields[4];
  }
  return undefined;
}

/** A backslash escapes a colon or a backslash in a field. */
function fieldsOf(line: string): string[] {
  return Array.from(line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g), ([, field]) => field!.replace(/\\(.)/g, "$1")).slice(
    0,
    5,
  );
}
