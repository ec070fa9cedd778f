/** Directories that only their owner may enter, also when someone else got to the name first. */
import { chmodSync, lstatSync, statSync } from "node:fs";
import { constants } from "node:os";
import { makeDirectory } from "./make-directory.ts";

const PRIVATE = 0o700;
const OTHERS = 0o077;

/** Makes the directory, or checks that the one there is ours and nobody else's. A link to such a one is as good. */
export function ensurePrivateDirectory(path: string): void {
  makeDirectory(path, PRIVATE);
  const named = lstatSync(path);
  const stat = named.isSymbolicLink() ? statSync(path) : named;
  if (!stat.isDirectory()) throw refused(path, "is not a directory.");
  const user = process.getuid?.();
  if (user === undefined) return;
  // Somebody else's link could lead anywhere tomorrow.
  if (named.uid !== user || stat.uid !== user) throw refused(path, "belongs to another user.");
  if ((stat.mode & OTHERS) === 0) return;
  // What a link leads to may have been made for more than us: it is not closed to others unasked.
  if (named.isSymbolicLink()) throw refused(path, "leads to a directory that others can enter; chmod 700 it first.");
  chmodSync(path, PRIVATE);
}

/** An error like the system's own: it is the user's directory that is wrong, not the program. */
function refused(path: string, why: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path} ${why}`), {
    code: "EPERM",
    errno: -constants.errno.EPERM,
    syscall: "mkdir",
    path,
  });
}
