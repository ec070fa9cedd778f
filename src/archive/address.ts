/**
 * The archive's address. It may contain a password, so it can come from a variable or a file in amux's home, and is never printed
 * as it is.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { amuxHome, type PathEnv } from "../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export const ADDRESS_VARIABLE = "AMUX_ARCHIVE";

export interface ArchiveAddress {
  /** With credentials; for the client only. */
  url: string;
  /** Without credentials, for display. */
  shown: string;
  /** A remote address without an encryption setting: TLS with a valid certificate is required. */
  needsTls: boolean;
  withoutSecrets(text: string): string;
}

/** The given address, the variable's, or the saved one. */
export function archiveAddress(env: PathEnv, given?: string): ArchiveAddress {
  const text = given ?? (env.vars[ADDRESS_VARIABLE] || keptAddress(env));
  if (text === undefined || text === "") {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `No archive configured. Use --to postgres://user@host/database, set ${ADDRESS_VARIABLE}, or run amux archive use.`,
    );
  }
  return parseAddress(text);
}

export function parseAddress(text: string): ArchiveAddress {
  const match = /^postgres(?:ql)?:\/\/([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/.exec(text.trim());
  if (match === null) throw wrong();
  const [, authority = "", path = "", search = ""] = match;
  const at = authority.lastIndexOf("@");
  const credentials = at === -1 ? "" : authority.slice(0, at);
  const [user = "", ...password] = credentials.split(":");
  const parameters = new URLSearchParams(search);
  const host = parameters.get("host") ?? decoded(authority.slice(at + 1).replace(/:\d*$/, ""));
  const port = parameters.get("port") ?? /:(\d+)$/.exec(authority.slice(at + 1))?.[1];
  const name = decoded(user) || parameters.get("user") || "";
  const secrets = [password.join(":"), parameters.get("password") ?? ""].flatMap((secret) => [secret, decoded(secret)]);
  return {
    url: text.trim(),
    shown: `postgres://${name === "" ? "" : `${name}@`}${host === "" ? "localhost" : host}${port === undefined ? "" : `:${port}`}${decoded(path)}`,
    needsTls: !isHere(host) && !["sslmode", "ssl"].some((key) => parameters.has(key)),
    withoutSecrets: (line) =>
      secrets.reduce((rest, secret) => (secret === "" ? rest : rest.replaceAll(secret, "[password]")), line),
  };
}

function isHere(host: string): boolean {
  return host === "" || host.startsWith("/") || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong();
  }
}

/** Does not repeat the input: it may be a password. */
function wrong(): AgentMuxError {
  return new AgentMuxError(
    "VALIDATION_ERROR",
    "An archive's address is like postgres://user@host:5432/database, or postgres:///database?host=/var/run/postgresql; characters such as @ and / in a password are written %40 and %2F.",
  );
}

function fileOf(env: PathEnv): string {
  return join(amuxHome(env), "archive-address");
}

/** Private to the user: it may contain a password. */
export function keepAddress(env: PathEnv, text: string): ArchiveAddress {
  const address = parseAddress(text);
  ensurePrivateDirectory(amuxHome(env));
  writeFileAtomic(fileOf(env), `${address.url}\n`);
  return address;
}

function keptAddress(env: PathEnv): string | undefined {
  const path = fileOf(env);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (env.platform !== "win32" && (stat.mode & 0o077) !== 0) {
    throw new AgentMuxError("CONFIG_ERROR", `${path} can be read by others; chmod 600 it, it may hold a password.`);
  }
  return readText(path).trim();
}
