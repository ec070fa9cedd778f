/** Ordinary git, with the user's own settings and hooks, for what the user asked to be done in a repository. */
import { AgentMuxError } from "../../core/errors.ts";
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { withoutControls } from "../../lib/text/text.ts";

/** A checkout of a large repository, or a hook that runs tests. */
const GIT_WITHIN_MS = 600_000;

/** Standard output without the last line end. Throws a sentence with what git said. */
export type Git = (...args: string[]) => Promise<string>;

/** A hook's variables would lead git to another repository than the one of the directory. */
const OF_A_HOOK = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE"];

export function userGit(cwd: string, vars: Readonly<Record<string, string | undefined>>): Git {
  const env = externalEnv(Object.fromEntries(Object.entries(vars).filter(([name]) => !OF_A_HOOK.includes(name))));
  return async (...args) => {
    try {
      // Nobody can answer an editor or a prompt here.
      const quiet = { ...env, GIT_EDITOR: "true", GIT_TERMINAL_PROMPT: "0", LANGUAGE: "en" };
      const text = await askProgram("git", {
        args: ["-C", cwd, ...args],
        cwd: "/",
        env: quiet,
        timeoutMs: GIT_WITHIN_MS,
      });
      return text.replace(/\n$/, "");
    } catch (error) {
      if (error instanceof ProgramFailed) throw refusalOf(error);
      throw error;
    }
  };
}

function refusalOf(error: ProgramFailed): AgentMuxError {
  if (error.kind === "missing") return refused("git is not installed, or not on the PATH.", error);
  const said = withoutControls(error.stderr.trim() || error.stdout.trim() || error.message);
  return refused(`git refused: ${said}`, error);
}

export function refused(message: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message, { cause });
}

/** The repository's state does not allow it. */
export function inTheWay(message: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("INVALID_STATE_TRANSITION", message, { cause });
}

/** Whether git succeeds, for questions that it answers by its exit code. */
export function succeeds(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AgentMuxError) return false;
      throw error;
    },
  );
}
