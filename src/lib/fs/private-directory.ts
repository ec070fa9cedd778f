/** Directories that only their owner may enter, even if another user created the name first. */
import { chmodSync, lstatSync, statSync } from "node:fs";
import { constants } from "node:os";
import { makeDirectory } from "./make-directory.ts";

const PRIVATE = 0o700;
const OTHERS = 0o077;

/** Creates the directory, or checks that it is ours and closed to others. A link to such a directory is fine. */
export function ensurePrivateDirectory(path: string): void {
  makeDirectory(path, PRIVATE);
  const named = lstatSync(path);
  const stat = named.isSymbolicLink() ? statSync(path) : named;
  if (!stat.isDirectory()) throw refused(path, "is not a directory.");
  const user = process.getuid?.();
  if (user === undefined) return;
  // Another user could point their link elsewhere later.
  if (named.uid !== user || stat.uid !== user) throw refused(path, "belongs to another user.");
  if ((stat.mode & OTHERS) === 0) return;
  // A linked directory may serve others too, so its permissions are not changed.
  if (named.isSymbolicLink()) throw refused(path, "leads to a directory that others can enter; chmod 700 it first.");
  chmodSync(path, PRIVATE);
}

/** An error in the system's form: the user's directory is wrong, not the program. */
function refused(path: string, why: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path} ${why}`), {
    code: "EPERM",
    errno: -constants.errno.EPERM,
    syscall: "mkdir",
    path,
  });
}
