/** Directories that only their owner may enter, also when someone else got to the name first. */
import { chmodSync, lstatSync, statSync } from "node:fs";
import { makeDirectory } from "./make-directory.ts";

const PRIVATE = 0o700;
const OTHERS = 0o077;

/** Makes the directory, or checks that the one there is ours and nobody else's. A link to such a one is as good. */
export function ensurePrivateDirectory(path: string): void {
  makeDirectory(path, PRIVATE);
  const named = lstatSync(path);
  const stat = named.isSymbolicLink() ? statSync(path) : named;
  if (!stat.isDirectory()) throw new Error(`${path} is not a directory.`);
  const user = process.getuid?.();
  if (user === undefined) return;
  // Somebody else's link could lead anywhere tomorrow.
  if (named.uid !== user || stat.uid !== user) throw new Error(`${path} belongs to another user.`);
  if ((stat.mode & OTHERS) === 0) return;
  // What a link leads to may have been made for more than us: it is not closed to others unasked.
  if (named.isSymbolicLink())
    throw new Error(`${path} leads to a directory that others can enter; chmod 700 it first.`);
  chmodSync(path, PRIVATE);
}
