/**
 * One call of a hook: reads what the agent says, and hands it to the runner whose session this is, or else into the
 * status file of the tmux session it runs in. Each way is loaded only when it is gone: agents wait for their hooks.
 */
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { parseObject } from "../lib/json.ts";
import { optional } from "../lib/optional.ts";
import { agentProcess } from "./agent-process.ts";
import { isHeard } from "./is-heard.ts";
import { readInput } from "./read-input.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export async function runHook([agent = "", event]: readonly string[], vars: Variables): Promise<void> {
  const hooks = Object.hasOwn(HOOK_EVENTS, agent) ? HOOK_EVENTS[agent] : undefined;
  if (hooks === undefined || !isHeard(vars)) return;
  const payload = parseObject(await readInput(process.stdin));
  const read = payload === undefined ? undefined : hooks.read(payload, event, vars);
  const reading = read && { ...optional("pid", agentProcess()), ...read };
  if (reading === undefined || (await reachedRunner(vars["AMUX_SOCKET"], hooks, reading))) return;
  const { writeStatusFile } = await import("./write-status-file.ts");
  writeStatusFile(hooks, reading, vars);
}

async function reachedRunner(socket: string | undefined, hooks: HookEvents, reading: HookReading): Promise<boolean> {
  if (socket === undefined || socket === "") return false;
  const { postToRunner } = await import("./post-to-runner.ts");
  return postToRunner(socket, messageOf(hooks, reading));
}

/** A status report as the runner takes it, with what else the call told. */
function messageOf(hooks: HookEvents, reading: HookReading): object {
  const { report, at = Date.now(), ...rest } = reading;
  return {
    agent: hooks.name,
    ...rest,
    at: new Date(at).toISOString(),
    ...(report === undefined ? {} : { ...report, source: "hook" }),
  };
}
