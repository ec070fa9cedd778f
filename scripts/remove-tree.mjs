/** Removes a directory that an exiting process may still write to: a shell's history, Node's compile cache. */
import { rmSync } from "node:fs";

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Node's own retries cover different errors in different versions. */
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
