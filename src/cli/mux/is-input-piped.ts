/** Whether standard input is piped. Separate from its use, which most commands never need. */
import { fstatSync } from "node:fs";

const STDIN_FD = 0;

/** A terminal does not count, nor does missing input (`< /dev/null`, closed), which leaves a program its terminal. */
export function isInputPiped(): boolean {
  try {
    const stat = fstatSync(STDIN_FD);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false; // It is closed.
  }
}
