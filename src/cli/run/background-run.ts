/** `amux run -d` on a prompt: the same run as the program of a session in the background. */
import { resolve } from "node:path";
import type { RunOptions } from "../../core/run-options.ts";
import { usageError, type Invocation } from "../command.ts";
import { asGiven } from "./given-options.ts";
import { IN_SESSION_VARIABLE } from "./tell-session.ts";
import { RUN_OPTIONS } from "./run-options.ts";

/** An argument of a program may have 128 KB on Linux; a prompt that long belongs into a file. */
const MAX_PROMPT_BYTES = 100_000;

/** Said anew below, or meant for the session and not for the run in it. */
const OWN = new Set(["on", "agent", "prompt", "file", "cwd", "attach", "session", "fork", "env", "detach", "name"]);

export interface BackgroundRun {
  command: string[];
  env: Record<string, string>;
}

/**
 * Paths and ids are those found here: the run in the background starts elsewhere. The agent is named by an option: who
 * looks for an agent's own command line, to add hooks to it, must not find one in ours.
 */
export function backgroundRun(invocation: Invocation, agent: string, options: RunOptions): BackgroundRun {
  const { cwd = ".", sessionId, forkSessionId } = options;
  const args = [
    `--agent=${agent}`,
    ...RUN_OPTIONS.filter(({ name }) => !OWN.has(name)).flatMap((option) => asGiven(invocation, option)),
    `--cwd=${cwd}`,
    ...(sessionId === undefined ? [] : [`--session=${sessionId}`]),
    ...(forkSessionId === undefined ? [] : [`--fork=${forkSessionId}`]),
    ...invocation.texts("attach").map((path) => `--attach=${resolve(path)}`),
    promptArgument(invocation, String(options.prompt)),
  ];
  const [node = process.execPath, script = ""] = process.argv;
  return { command: [node, script, "run", ...args], env: { ...options.env, [IN_SESSION_VARIABLE]: "1" } };
}

function promptArgument(invocation: Invocation, prompt: string): string {
  const file = invocation.text("file");
  if (file !== undefined && file !== "-") return `--file=${resolve(file)}`;
  if (Buffer.byteLength(prompt) <= MAX_PROMPT_BYTES) return `--prompt=${prompt}`;
  throw usageError("The prompt is too long for a background session. Put it into a file and name that with --file.");
}
