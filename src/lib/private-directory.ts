/** Directories that only their owner may enter, also when someone else got to the name first. */
import { chmodSync, lstatSync, mkdirSync } from "node:fs";

const PRIVATE = 0o700;

/** Makes the directory, or checks that the one there is ours and nobody else's. */
export function ensurePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} is not a directory.`);
  const user = process.getuid?.();
  if (user === undefined) return;
  if (stat.uid !== user) throw new Error(`${path} belongs to another user.`);
  if ((stat.mode & 0o077) !== 0) chmodSync(path, PRIVATE);
}
