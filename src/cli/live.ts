/** The part of the program that is one small file: what it does not know, the whole of it does. */
import { agentOfCommand } from "../agents/agent-programs.ts";
import type { Command } from "./command.ts";
import { invoke } from "./invoke.ts";
import { LIVE_COMMANDS } from "./live-commands.ts";
import { hasTmuxSessions } from "./mux/tmux-sessions.ts";

/** The exit code, or undefined when these arguments are for the whole program. */
export function main(argv: readonly string[]): Promise<number> | undefined {
  const [verb = "", ...rest] = argv;
  if (verb === "ls" && hasTmuxSessions()) return undefined;
  const entry = LIVE_COMMANDS.find(({ name }) => name === verb);
  if (entry !== undefined) return invoke(entry.load, rest);
  return isPlainCommand(argv) ? invoke(runPlain, rest) : undefined;
}

/** `run -- <command>` where the command is no agent: nothing has to be known about agents then. */
function isPlainCommand(argv: readonly string[]): boolean {
  const dashes = argv.indexOf("--");
  if (argv[0] !== "run" || dashes === -1 || argv.slice(0, dashes).some(isElsewhere)) return false;
  return agentOfCommand(argv.slice(dashes + 1)) === undefined;
}

function isElsewhere(word: string): boolean {
  return word === "--on" || word.startsWith("--on=");
}

async function runPlain(): Promise<{ default: Command }> {
  const [{ RUN }, { runCommand, SHELL }, { startPlain }] = await Promise.all([
    import("./run/declaration.ts"),
    import("./run/command-session.ts"),
    import("./mux/start-plain.ts"),
  ]);
  return { default: { ...RUN, run: (invocation) => runCommand(invocation, SHELL, startPlain) } };
}
