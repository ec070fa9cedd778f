/** `amux run -d` with a prompt: the same run as the program of a background session. */
import { resolve } from "node:path";
import type { RunOptions } from "../../core/run-options.ts";
import { usageError, type Invocation } from "../command.ts";
import { asGiven } from "./given-options.ts";
import { IN_SESSION_VARIABLE } from "./report-to-session.ts";
import { RUN_OPTIONS } from "./run-options.ts";

/** Linux limits an argument to 128 KB; a longer prompt belongs into a file. */
const MAX_PROMPT_BYTES = 100_000;

/** Repeated below, or meant for the session rather than the run. */
const OWN = new Set([
  "on",
  "agent",
  "prompt",
  "file",
  "cwd",
  "attach",
  "session",
  "fork",
  "env",
  "detach",
  "name",
  "record",
  "worktree",
]);

export interface BackgroundRun {
  command: string[];
  env: Record<string, string>;
}

/**
 * Paths and ids are resolved here, since the background run starts elsewhere. The agent is an option, so that our command is not
 * taken for the agent's own.
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
