/** `amux run -- <command>`: a session with its own terminal. */
import { resolve } from "node:path";
import { sessionName } from "../../client/session-name.ts";
import { knownSessions } from "../../client/session-list.ts";
import { requireOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Invocation } from "../command.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import type { Start } from "../mux/start-plain.ts";
import { isGiven } from "./given-options.ts";
import { environmentOf, RUN_OPTIONS } from "./run-options.ts";
import { worktreeFor } from "./worktree-for.ts";

/** The kind of a session without an agent. */
export const SHELL = "shell";

/** Options of a session; all others belong to a prompt run and must be refused, not ignored. */
export const SESSION_OPTIONS = ["agent", "cwd", "env", "detach", "name", "record", "worktree"];

export function runCommand(invocation: Invocation, kind: string, start: Start): Promise<number> {
  const { rest: command = [] } = invocation;
  if (command.length === 0) throw usageError("Missing command after --.");
  if (invocation.arguments.length > 0 || invocation.text("agent") !== undefined)
    throw usageError("Name an agent, or a command after --, not both.");
  refuseOthers(invocation, SESSION_OPTIONS, "A command after -- has its own options");
  const cwd = resolve(invocation.text("cwd") ?? ".");
  return openSession(invocation, { command: [...command], kind, cwd }, withInput(start));
}

function withInput(start: Start): Start {
  return (request, options, output) => start(request, { ...options, givesInput: true }, output);
}

/** With the variables and name from the options. */
export async function openSession(
  invocation: Invocation,
  request: { command: string[]; kind: string; cwd: string; resume_key?: string },
  start: Start,
): Promise<number> {
  const env = environmentOf(invocation.texts("env"));
  const detached = invocation.flag("detach");
  refuseTaken(invocation.text("name"));
  // A worktree for a command that cannot start would be left behind.
  if (invocation.text("worktree") !== undefined) requireOnPath(request.command[0] ?? "", { ...process.env, ...env });
  const worktree = await worktreeFor(invocation, request.cwd);
  const place = optional("cwd", worktree?.cwd);
  return start(
    {
      ...request,
      ...place,
      env,
      ...optional("name", invocation.text("name")),
      ...(invocation.flag("record") ? { record: true } : {}),
    },
    { detached, ...optional("worktree", worktree) },
    invocation.output,
  );
}

/** With two sessions of one name, every later use of it would be ambiguous. */
function refuseTaken(name: string | undefined): void {
  if (name === undefined) return;
  const taken = knownSessions(sessionDirectories()).find(({ meta, alive }) => alive && meta.name === sessionName(name));
  if (taken === undefined) return;
  throw usageError(`A running session is called "${name}" (${taken.meta.id}). Choose another name, or attach to it.`);
}

export function refuseOthers(invocation: Invocation, allowed: readonly string[], reason: string): void {
  const other = RUN_OPTIONS.find((option) => !allowed.includes(option.name) && isGiven(invocation, option));
  if (other !== undefined) throw usageError(`--${other.name} is for a run on a prompt. ${reason}.`);
}
