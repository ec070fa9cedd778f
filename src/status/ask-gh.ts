/** Runs GitHub's `gh` in a directory. Nothing depends on the answer. */
import { askProgram, ProgramFailed } from "../lib/process/ask-program.ts";
import { GIT_MB, lookingEnv } from "./untrusted-git.ts";

/** Undefined if `gh` is missing, fails, or exceeds `timeoutMs`. */
export async function askGh(cwd: string, timeoutMs: number, ...args: string[]): Promise<string | undefined> {
  try {
    return await askProgram("gh", { args, cwd, env: lookingEnv(), timeoutMs, maxMemoryMb: GIT_MB });
  } catch (error) {
    if (error instanceof ProgramFailed) return undefined;
    throw error;
  }
}
