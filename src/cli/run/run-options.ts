/** The options of `amux run`, and their mapping to the library. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AGENT_PROGRAMS } from "../../agents/agent-programs.gen.ts";
import { SYSTEM_PROMPT_MODES, THINKING_EFFORTS, type RunOptions } from "../../core/run-options.ts";
import type { AgentMuxClient } from "../../index.ts";
import { missingDirectory } from "../../client/missing-directory.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Invocation, type OptionSpec } from "../command.ts";
import { parseDuration } from "../durations.ts";
import { resolveReference } from "../session-reference.ts";
import { bringBackFirst } from "../vault/bring-back-first.ts";

export const RUN_OPTIONS: readonly OptionSpec[] = [
  { name: "agent", short: "a", value: "name", description: "the agent, in place of the argument" },
  { name: "prompt", short: "p", value: "text", description: "the prompt, in place of the argument" },
  { name: "file", value: "path", description: "read the prompt from a file; - is standard input" },
  { name: "model", short: "m", value: "id", description: "use this model" },
  { name: "effort", value: "level", description: "how hard to think", choices: THINKING_EFFORTS },
  { name: "system", value: "text", description: "system prompt" },
  { name: "system-mode", value: "mode", description: "where it goes (default append)", choices: SYSTEM_PROMPT_MODES },
  { name: "attach", value: "path", description: "attach a file", repeatable: true },
  { name: "session", value: "id", description: "resume this session" },
  { name: "fork", value: "id", description: "fork this session" },
  { name: "at", value: "message", description: "fork at this message number (the first is 0)" },
  { name: "no-session", description: "do not save a session" },
  { name: "cwd", value: "dir", description: "work here (default: the session's directory, or this one)" },
  { name: "env", value: "name=value", description: "set a variable for the agent", repeatable: true },
  { name: "tag", value: "tag", description: "tag the run and its session", repeatable: true },
  { name: "timeout", value: "time", description: "end the run after this time (30s, 5m, 1h)" },
  { name: "inactivity-timeout", value: "time", description: "end the run after this long without output" },
  { name: "max-turns", value: "n", description: "at most this many model calls" },
  { name: "profile", value: "name", description: "start from a profile" },
  { name: "ask", description: "ask for approval here before changes, even for agents that never ask" },
  { name: "yolo", description: "approve everything the agent wants to do" },
  { name: "deny", description: "refuse everything that needs approval" },
  { name: "no-stream", description: "print whole messages instead of streaming text" },
  { name: "run-id", value: "ulid", description: "the run's id" },
  { name: "quiet", short: "q", description: "print only the last answer" },
  {
    name: "worktree",
    value: "branch",
    takes: isBranchWord,
    description: "work in a new git worktree, on this branch (default: a free name)",
  },
  { name: "on", value: "peer", description: "run on another machine (amux peers); --cwd is a directory there" },
  { name: "detach", short: "d", description: "run in a background session" },
  { name: "record", description: "keep the terminal's output with its times, for amux cast; not what you type" },
  { name: "name", value: "text", description: "name of the background session" },
];

/** An agent or a prompt is no branch, so that `--worktree claude` and `--worktree 'fix it'` mean what they say. */
function isBranchWord(word: string): boolean {
  return !/\s/.test(word) && !Object.values(AGENT_PROGRAMS).includes(word);
}

export async function runOptionsOf(
  invocation: Invocation,
  client: AgentMuxClient,
  agent: string | undefined,
  prompt: string,
): Promise<RunOptions & { cwd: string }> {
  if (invocation.flag("yolo") && invocation.flag("deny")) throw usageError("--yolo and --deny exclude each other.");
  const timeout = invocation.text("timeout");
  const inactivity = invocation.text("inactivity-timeout");
  const attachments = invocation.texts("attach").map((path) => ({ filePath: resolve(path) }));
  const variables = invocation.texts("env");
  const tags = invocation.texts("tag");
  const mode: RunOptions["approvalMode"] = invocation.flag("yolo")
    ? "yolo"
    : invocation.flag("deny")
      ? "deny"
      : undefined;
  return {
    prompt,
    ...optional("agent", agent),
    ...optional("model", invocation.text("model")),
    ...optional("thinkingEffort", invocation.text("effort") as RunOptions["thinkingEffort"]),
    ...optional("systemPrompt", invocation.text("system")),
    ...optional("systemPromptMode", invocation.text("system-mode") as RunOptions["systemPromptMode"]),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(await sessionOf(invocation, client, agent)),
    ...(invocation.flag("no-session") ? { noSession: true } : {}),
    ...(variables.length > 0 ? { env: environmentOf(variables) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...optional("timeout", timeout === undefined ? undefined : parseDuration(timeout, "--timeout")),
    ...optional(
      "inactivityTimeout",
      inactivity === undefined ? undefined : parseDuration(inactivity, "--inactivity-timeout"),
    ),
    ...optional("maxTurns", invocation.count("max-turns")),
    ...optional("profile", invocation.text("profile")),
    ...optional("approvalMode", mode),
    ...(invocation.flag("no-stream") || invocation.flag("quiet") ? { stream: false } : {}),
    ...optional("runId", invocation.text("run-id")),
  };
}

/** Agents look for a session in its own directory, so the run uses that by default. */
async function sessionOf(
  invocation: Invocation,
  client: AgentMuxClient,
  agent: string | undefined,
): Promise<Pick<RunOptions, "sessionId" | "forkSessionId" | "forkMessage"> & { cwd: string }> {
  const [session, fork, cwd] = [invocation.text("session"), invocation.text("fork"), invocation.text("cwd")];
  const id = session ?? fork;
  const at = forkMessageOf(invocation);
  if (id === undefined) return { cwd: existing(resolve(cwd ?? ".")) };
  if (session !== undefined && fork !== undefined) throw usageError("--session and --fork exclude each other.");
  if (agent === undefined) throw usageError("--session and --fork need the name of the agent.");
  const { sessionId } = await resolveReference(client, [agent, id]);
  const { summary } = await client.sessions.open(agent, sessionId);
  const place = existing(resolve(cwd ?? summary.cwd ?? "."));
  bringBackFirst(summary, (text) => invocation.output.note(text));
  const chosen = session === undefined ? { forkSessionId: sessionId, ...optional("forkMessage", at) } : { sessionId };
  return { ...chosen, cwd: place };
}

/** The message a fork continues from. */
export function forkMessageOf(invocation: Invocation): number | undefined {
  const at = invocation.count("at", 0);
  if (at !== undefined && invocation.text("fork") === undefined) throw usageError("--at goes with --fork only.");
  return at;
}

export function existing(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  const why = existsSync(directory) ? `${directory} is not a directory.` : missingDirectory(directory);
  throw usageError(`${why} Name another one with --cwd.`);
}

export function environmentOf(pairs: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals <= 0) throw usageError(`--env takes name=value, not "${pair}".`);
    variables[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return variables;
}
