/** A note of the terminal this process sits on, for the session's runner: only who can write here can lend it one. */
import { closeSync, openSync, readlinkSync, readSync, rmSync, writeFileSync } from "node:fs";
import { loanNote } from "../../protocol/session-files.ts";

const NAME_BYTES = 16;

/** Undefined where the system does not tell, or nothing can be written: then nothing is lent. */
export function leaveNote(directory: string): TerminalNote | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const terminal = readlinkSync("/proc/self/fd/0");
    const note = randomHex();
    const path = loanNote(directory, note);
    writeFileSync(path, terminal, { mode: 0o600, flag: "wx" });
    // The runner takes it away; one that is too old for that does not.
    return { note, remove: () => rmSync(path, { force: true }) };
  } catch {
    return undefined; // A full disk, a system without /proc: the session is shown all the same.
  }
}

export interface TerminalNote {
  note: string;
  remove(): void;
}

/** Node's own is a part of its crypto, which takes longer to load than all the rest of this command. */
function randomHex(): string {
  const bytes = Buffer.alloc(NAME_BYTES);
  const source = openSync("/dev/urandom", "r");
  readSync(source, bytes);
  closeSync(source);
  return bytes.toString("hex");
}
