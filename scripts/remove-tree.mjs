/** Takes a directory away although a process that is just ending still writes into it: a shell its history, Node what it compiled. */
import { rmSync } from "node:fs";

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Not by Node's own retries: which errors they are for differs from one version to the next. */
export async function removeTree(path) {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "ENOTEMPTY" || left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
