/** Agents in their own terminal: `amux run <agent>` without a prompt. */
import { resolve } from "node:path";
import { removeForkCopy } from "../../agents/fork-copy.ts";
import { agentOfCommand } from "../../agents/agent-programs.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentMuxClient } from "../../index.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Invocation } from "../command.ts";
import { startSession } from "../mux/start.ts";
import { resolveReference } from "../session-reference.ts";
import { bringBackFirst } from "../vault/bring-back-first.ts";
import { cannotReopen, forksCopies } from "./cannot-reopen.ts";
import { SESSION_OPTIONS, openSession, refuseOthers, SHELL } from "./command-session.ts";
import { environmentOf, existing, forkMessageOf } from "./run-options.ts";

/** The agent's own program, new or with an earlier session. */
export async function runAgentInTerminal(
  invocation: Invocation,
  client: AgentMuxClient,
  agent: string | undefined,
): Promise<number> {
  if (agent === undefined) {
    throw usageError(
      "amux run needs an agent, a prompt (as argument, with --prompt or --file, or on standard input), or a command after --.",
    );
  }
  const adapter = await client.adapters.get(agent);
  const { command, displayName, launch, name: kind } = adapter;
  if (command === "") throw new AgentMuxError("CAPABILITY_ERROR", `${displayName} cannot be started in a terminal.`);
  refuseOthers(
    invocation,
    [...SESSION_OPTIONS, "session", "fork", "at"],
    `Without a prompt ${agent} runs in a terminal and takes its own options, as in amux run -- ${command} …`,
  );
  if (!invocation.flag("detach") && !process.stdin.isTTY) {
    throw usageError(`No terminal here: give ${agent} a prompt, or use -d to run it in the background.`);
  }
  const [session, fork] = [invocation.text("session"), invocation.text("fork")];
  if (session !== undefined && fork !== undefined) throw usageError("--session and --fork exclude each other.");
  const id = session ?? fork;
  const at = forkMessageOf(invocation);
  if (id === undefined) {
    checkInstalled();
    return openSession(
      invocation,
      { command: [command], kind, cwd: resolve(invocation.text("cwd") ?? ".") },
      startSession,
    );
  }
  const { sessionId } = await resolveReference(client, [agent, id]);
  const { summary, source } = await client.sessions.open(agent, sessionId);
  const action = session === undefined ? "fork" : "resume";
  const argv = at === undefined ? launch?.[action]?.(sessionId, source) : undefined;
  const isCopied = argv === undefined && action === "fork" && (at !== undefined || forksCopies(launch));
  if (!argv && !isCopied) throw cannotReopen(adapter, action);
  checkInstalled();
  const cwd = existing(resolve(invocation.text("cwd") ?? summary.cwd ?? "."));
  if (argv) {
    bringBackFirst(summary, (text) => invocation.output.note(text));
    const request = { command: argv, kind, cwd, ...optional("resume_key", session && sessionId) };
    return openSession(invocation, request, startSession);
  }
  const copy = await client.copyForFork(kind, sessionId, { cwd, ...optional("message", at) });
  if (at !== undefined && at !== copy.lastMessage) {
    invocation.output.note(`amux: the copy ends with message ${copy.lastMessage}.`);
  }
  try {
    const request = { command: copy.command, kind, cwd, ...optional("resume_key", copy.sessionId) };
    return await openSession(invocation, request, startSession);
  } catch (error) {
    removeForkCopy(copy);
    throw error;
  }

  function checkInstalled(): void {
    if (findOnPath(command, { ...process.env, ...environmentOf(invocation.texts("env")) }) !== undefined) return;
    throw new AgentMuxError("AGENT_NOT_INSTALLED", `${command} is not on the PATH; install ${displayName} first.`);
  }
}

/** An agent's own command makes an agent session, however it was typed. */
export function kindOfCommand(command: readonly string[]): string {
  return agentOfCommand(command) ?? SHELL;
}
