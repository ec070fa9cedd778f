/** Whether this process was given something to read. Apart from what is done with it, which most commands never need. */
import { fstatSync } from "node:fs";

const STDIN_FD = 0;

/** A terminal is typed into, and what is no input at all (`< /dev/null`, closed) leaves a program its terminal. */
export function isInputGiven(): boolean {
  try {
    const stat = fstatSync(STDIN_FD);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false; // It is closed.
  }
}
