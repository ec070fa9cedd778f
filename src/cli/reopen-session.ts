/** `amux sessions resume` and `fork`: runs a past session's agent, or prints its command. */
import { createClient, type AgentMuxClient } from "../index.ts";
import { optional } from "../lib/values/optional.ts";
import { withoutControls } from "../lib/text/text.ts";
import { parseInvocation, usageError, type Invocation, type OptionSpec } from "./command.ts";
import run from "./commands/run.ts";
import { cannotReopen, forksCopies } from "./run/cannot-reopen.ts";
import { asGiven } from "./run/given-options.ts";
import { RUN_OPTIONS } from "./run/run-options.ts";
import { hasMachine, resolveReference } from "./session-reference.ts";

/** Only for forks; nothing is resumed from the middle. */
export const AT_OPTION: OptionSpec = RUN_OPTIONS.find(({ name }) => name === "at")!;

const PASSED_ON = RUN_OPTIONS.filter(
  ({ name }) => !["agent", "session", "fork", "at", "no-session", "on"].includes(name),
);

export const REOPEN_OPTIONS: readonly OptionSpec[] = [
  ...PASSED_ON,
  { name: "dry-run", description: "print the agent's command and start nothing" },
];

export async function reopenSession(invocation: Invocation, action: "resume" | "fork"): Promise<number | void> {
  if (hasMachine(invocation.arguments)) {
    const { openRemote, remoteReference } = await import("./peers/remote-history.ts");
    const reference = remoteReference(invocation.arguments);
    if (reference !== undefined) return openRemote(invocation, reference, action);
  }
  const client = createClient();
  const { agent, sessionId } = await resolveReference(client, invocation.arguments);
  if (invocation.flag("dry-run")) return showCommand(invocation, client, { agent, sessionId, action });
  const passed = action === "fork" ? [...PASSED_ON, AT_OPTION] : PASSED_ON;
  const options = passed.flatMap((option) => asGiven(invocation, option));
  const args = [agent, `--${action === "resume" ? "session" : "fork"}=${sessionId}`, ...options];
  return run.run(parseInvocation(run, args, invocation.output));
}

async function showCommand(
  invocation: Invocation,
  client: AgentMuxClient,
  { agent, sessionId, action }: { agent: string; sessionId: string; action: "resume" | "fork" },
): Promise<void> {
  const { output } = invocation;
  if (invocation.text("at") !== undefined) {
    throw usageError("--at needs a copy of the session, which --dry-run does not make.");
  }
  const adapter = await client.adapters.get(agent);
  const { summary, source } = await client.sessions.open(agent, sessionId);
  const argv = adapter.launch?.[action]?.(sessionId, source);
  if (!argv) {
    if (action === "fork" && forksCopies(adapter.launch)) {
      throw usageError(`${adapter.displayName} forks from a copy of the session, which --dry-run does not make.`);
    }
    throw cannotReopen(adapter, action);
  }
  const cwd = invocation.text("cwd") ?? summary.cwd ?? process.cwd();
  const { inVault } = summary;
  if (output.json)
    await output.writeJson({ agent, sessionId, action, cwd, command: argv, ...optional("inVault", inVault) });
  else await output.write(`cd -- ${quote(cwd)} && ${argv.map(quote).join(" ")}\n`);
  if (inVault) {
    output.note(`Its own file is gone. First: amux vault restore ${agent}:${sessionId} --touch`);
    output.note(`Without --dry-run, amux sessions ${action} does this by itself.`);
  }
}

/** For display and pasting only; no shell runs it here. */
function quote(word: string): string {
  const clean = withoutControls(word);
  return /^[\w@%+=:,./~-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", String.raw`'\''`)}'`;
}
