/** Asks git or GitHub's `gh` about a directory. Nobody depends on the answer: what is not told is not known. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const MAX_BYTES = 64 * 1024 * 1024;

/** Undefined when the program is not there, fails, or takes longer than `timeout` milliseconds. */
export async function askTool(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
): Promise<string | undefined> {
  // No lock on the index, no question on the terminal, no pager, one language.
  const env = {
    ...process.env,
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GH_PROMPT_DISABLED: "1",
    LC_ALL: "C",
  };
  try {
    const { stdout } = await promisify(execFile)(program, [...args], { cwd, env, timeout, maxBuffer: MAX_BYTES });
    return stdout;
  } catch {
    return undefined; // Not installed, no repository, too slow: nothing is known.
  }
}
