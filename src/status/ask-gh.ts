/** Asks GitHub's `gh` about a directory. Nobody depends on the answer: what is not told is not known. */
import { askProgram, ProgramFailed } from "../lib/process/ask-program.ts";
import { lookingEnv } from "./looking-git.ts";

/** Undefined when `gh` is not there, fails, or takes longer than `timeoutMs`. */
export async function askGh(cwd: string, timeoutMs: number, ...args: string[]): Promise<string | undefined> {
  try {
    return await askProgram("gh", { args, cwd, env: lookingEnv(), timeoutMs });
  } catch (error) {
    if (error instanceof ProgramFailed) return undefined;
    throw error;
  }
}
