/** How a session's files stood when they were listed: equal signatures, equal contents. */
import type { SessionSource } from "../../agents/adapter.ts";

/** Names are left out where the system numbers files, so that a moved session is still known. */
export function signatureOf(source: SessionSource): string {
  return source.files
    .map(
      ({ path, size, mtimeMs, ino }) =>
        `${ino === undefined || ino === 0 ? path : ino.toString(36)}:${size}:${mtimeMs}`,
    )
    .join(" ");
}

/**
 * Within this time of a change another one can go unnoticed: clocks of file systems tick in steps. What was changed so
 * shortly before it is read is not kept.
 */
const SETTLING_MS = 50;

export function isSettled(source: SessionSource, now = Date.now()): boolean {
  return source.files.every(({ mtimeMs }) => now - mtimeMs > SETTLING_MS || mtimeMs > now);
}
