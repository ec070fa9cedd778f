/** The agent's program and the environment it is started in. */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { AgentMuxError } from "../core/errors.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";

/** Linux's limit for one argument; other systems have no smaller one. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export function environmentFor(
  env: AgentEnv,
  ...changes: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const merged: Record<string, string | undefined> = Object.assign({}, env.vars, ...changes);
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function programOf(adapter: AgentAdapter, vars: Record<string, string>, args: readonly string[]): string {
  const program = findOnPath(adapter.command, vars);
  if (program === undefined) {
    throw new AgentMuxError(
      "AGENT_NOT_INSTALLED",
      `${adapter.command} is not on the PATH; install ${adapter.displayName} first.`,
    );
  }
  const longest = Math.max(0, ...args.map((argument) => Buffer.byteLength(argument)));
  if (longest > MAX_ARGUMENT_BYTES) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `${adapter.displayName} takes its prompt on the command line, which holds 128 KB; this one has ${Math.ceil(longest / 1024)} KB.`,
    );
  }
  return program;
}
