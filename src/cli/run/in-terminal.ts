/** Sessions in a terminal of their own: `amux run -- <command>`, `amux run <agent>` without a prompt, `amux run -d`. */
import { AgentRegistry } from "../../agents/registry.ts";
import { usageError } from "../command.ts";
import { startSession } from "../mux/start.ts";
import type { Output } from "../output.ts";

export interface TerminalRun {
  /** What followed `--`. */
  command: readonly string[] | undefined;
  agent: string | undefined;
  prompt: string | undefined;
  cwd: string;
  name: string | undefined;
  env: Record<string, string>;
  /** Start it and come back, instead of attaching to it. */
  detached: boolean;
}

/** The kind of a session that is no agent's. */
const SHELL = "shell";

export async function runInTerminal(run: TerminalRun, output: Output): Promise<number> {
  const { command, kind } = await commandOf(run);
  const { cwd, name, env, detached } = run;
  return startSession({ command, kind, cwd, env, ...(name === undefined ? {} : { name }) }, { detached }, output);
}

async function commandOf({
  command,
  agent,
  prompt,
  detached,
}: TerminalRun): Promise<{ command: string[]; kind: string }> {
  if (command !== undefined) {
    if (command.length === 0) throw usageError("Nothing follows the --: name a command.");
    if (agent !== undefined) throw usageError("Name an agent, or a command after --, not both.");
    return { command: [...command], kind: await kindOfCommand(command) };
  }
  if (prompt !== undefined && detached) return { command: foregroundRun(), kind: agent ?? SHELL };
  if (agent === undefined) {
    throw usageError(
      "amux run needs an agent, a prompt (as argument, with --prompt or --file, or on standard input), or a command after --.",
    );
  }
  const adapter = await new AgentRegistry().get(agent);
  if (!detached && !process.stdin.isTTY) {
    throw usageError(
      `amux run ${agent} needs a prompt here: its standard input is no terminal. See -d for one of its own.`,
    );
  }
  return { command: [adapter.command], kind: adapter.name };
}

/** The same run without -d, as the program of the session. */
function foregroundRun(): string[] {
  const [node = process.execPath, script = "", ...args] = process.argv;
  return [node, script, ...args.filter((arg) => arg !== "-d" && arg !== "--detach")];
}

/** An agent's own command makes an agent's session, however it was typed. */
async function kindOfCommand(command: readonly string[]): Promise<string> {
  const program = command[0]?.split("/").at(-1) ?? "";
  const registry = new AgentRegistry();
  if (!registry.has(program)) return SHELL;
  const adapter = await registry.get(program);
  return adapter.command === program ? adapter.name : SHELL;
}
