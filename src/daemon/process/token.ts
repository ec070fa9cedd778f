/** The token for the TCP port: 64 hexadecimal digits in a private file. */
import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync } from "node:fs";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const TOKEN = /^[0-9a-f]{64}$/;

/**
 * The token in the file, or a new one. `wanted` (from the environment) must match an existing one. A file others can read is
 * replaced: its token is no longer secret.
 */
export function loadToken(path: string, wanted?: string): string {
  if (wanted !== undefined && !TOKEN.test(wanted)) throw refused("AMUX_TOKEN must be 64 hexadecimal digits.");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return create(path, wanted);
  if (!stat.isFile()) throw refused(`${path} is not a regular file.`);
  const user = process.getuid?.();
  if (user !== undefined && stat.uid !== user) throw refused(`${path} belongs to another user.`);
  if ((stat.mode & 0o077) !== 0) {
    if (wanted !== undefined) throw refused(`${path} can be read by others. Remove it and choose another AMUX_TOKEN.`);
    return create(path, undefined);
  }
  const token = readText(path).trim();
  if (!TOKEN.test(token)) throw refused(`${path} holds no token. Remove it to get a new one.`);
  if (wanted !== undefined && wanted !== token) throw refused(`AMUX_TOKEN is not the token in ${path}.`);
  return token;
}

function create(path: string, wanted: string | undefined): string {
  const token = wanted ?? randomBytes(32).toString("hex");
  writeFileAtomic(path, `${token}\n`);
  chmodSync(path, 0o600);
  return token;
}

function refused(message: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", message);
}
