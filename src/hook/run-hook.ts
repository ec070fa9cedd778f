/**
 * One call of a hook: reads what the agent says, and hands it to the runner whose session this is, or else into the
 * status file of the tmux session it runs in. Each way is loaded only when it is gone: agents wait for their hooks.
 */
import { writeSync } from "node:fs";
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";
import { agentProcess } from "./agent-process.ts";
import { isHeard } from "./is-heard.ts";
import { readInput } from "./read-input.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** `onHeld` is called when the hook is to wait for its user's decision. */
export async function runHook(
  [agent = "", event]: readonly string[],
  vars: Variables,
  onHeld: () => void,
): Promise<void> {
  const hooks = Object.hasOwn(HOOK_EVENTS, agent) ? HOOK_EVENTS[agent] : undefined;
  if (hooks === undefined || !isHeard(vars)) return;
  const payload = parseObject(await readInput(process.stdin));
  const read = payload === undefined ? undefined : hooks.read(payload, event, vars);
  const reading = read && { ...optional("pid", agentProcess()), ...read };
  if (reading === undefined || (await reachedRunner(hooks, reading, vars, onHeld))) return;
  const { writeStatusFile } = await import("./write-status-file.ts");
  writeStatusFile(hooks, reading, vars);
}

async function reachedRunner(
  hooks: HookEvents,
  reading: HookReading,
  vars: Variables,
  onHeld: () => void,
): Promise<boolean> {
  const socket = vars["AMUX_SOCKET"];
  if (socket === undefined || socket === "") return false;
  const { postToRunner } = await import("./post-to-runner.ts");
  const { taken, decision } = await postToRunner(socket, messageOf(hooks, reading), onHeld);
  const { behavior, message } = decision ?? {};
  if (hooks.answer !== undefined && (behavior === "allow" || behavior === "deny")) {
    writeSync(1, hooks.answer({ behavior, ...(typeof message === "string" ? { message } : {}) }));
  }
  return taken;
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
