/** Gives this terminal to an agent's own command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { constants } from "node:os";
import { AgentMuxError } from "../core/errors.ts";
import { createClient } from "../index.ts";
import { findOnPath } from "../lib/find-on-path.ts";
import { withoutControls } from "../lib/text.ts";
import type { Invocation, OptionSpec } from "./command.ts";
import { resolveReference } from "./session-reference.ts";

export const HAND_OVER_OPTIONS: readonly OptionSpec[] = [
  { name: "cwd", value: "dir", description: "start it in this directory instead of the session's own" },
  { name: "dry-run", description: "print the command and start nothing" },
];

export async function handOver(invocation: Invocation, action: "resume" | "fork"): Promise<number> {
  const client = createClient();
  const { output } = invocation;
  const { agent, sessionId } = await resolveReference(client, invocation.arguments);
  const adapter = await client.adapters.get(agent);
  const { summary, source } = await client.sessions.open(agent, sessionId);
  const argv = adapter.launch?.[action]?.(sessionId, source);
  if (!argv) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      `${adapter.displayName} cannot ${action} a session from its command line.`,
    );
  }
  const cwd = invocation.text("cwd") ?? summary.cwd ?? process.cwd();
  if (invocation.flag("dry-run")) {
    if (output.json) await output.writeJson({ agent, sessionId, action, cwd, command: argv });
    else await output.write(`cd ${quote(cwd)} && ${argv.map(quote).join(" ")}\n`);
    return 0;
  }
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new AgentMuxError("VALIDATION_ERROR", `The session's directory ${cwd} is gone. Name another one with --cwd.`);
  }
  const program = findOnPath(argv[0]!, process.env);
  if (program === undefined) {
    throw new AgentMuxError(
      "AGENT_NOT_INSTALLED",
      `${argv[0]} is not on the PATH; install ${adapter.displayName} first.`,
    );
  }
  output.note(`In ${withoutControls(cwd)}: ${withoutControls(argv.join(" "))}`);
  return run(program, argv.slice(1), cwd);
}

async function run(program: string, args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: "inherit" });
  // The terminal sends these to the child as well; it decides what they mean.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore).on("SIGQUIT", ignore);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + constants.signals[signal!];
  } catch (error) {
    throw new AgentMuxError("SPAWN_ERROR", `${program} could not be started: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    process.off("SIGINT", ignore).off("SIGQUIT", ignore);
  }
}

/** For reading and pasting only; nothing here is ever run by a shell. */
function quote(word: string): string {
  const clean = withoutControls(word);
  return /^[\w@%+=:,./~-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", String.raw`'\''`)}'`;
}
