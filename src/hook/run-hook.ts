/**
 * One hook call: forwards the agent's payload to the session's runner, or to the status file of its tmux session. Modules load on
 * demand because agents wait for their hooks.
 */
import { writeSync } from "node:fs";
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { amuxHome } from "../lib/fs/paths.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";
import { stopFor } from "../limits/budget-stops.ts";
import { agentProcess } from "./agent-process.ts";
import { hasListener } from "./has-listener.ts";
import { readInput } from "./read-input.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Calls `onHeld` when the hook has to wait for the user's decision. */
export async function runHook(
  [agent = "", event]: readonly string[],
  vars: Variables,
  onHeld: () => void,
): Promise<void> {
  const hooks = Object.hasOwn(HOOK_EVENTS, agent) ? HOOK_EVENTS[agent] : undefined;
  if (hooks === undefined || !hasListener(vars)) return;
  const payload = parseObject(await readInput(process.stdin));
  const read = payload === undefined ? undefined : hooks.read(payload, event, vars);
  const reading = read && withStop(hooks, { ...optional("pid", agentProcess()), ...read }, vars);
  if (reading?.report?.state === "error") await keepRefusal(hooks, reading, vars);
  if (reading === undefined || (await reachedRunner(hooks, reading, vars, onHeld))) return;
  const { writeStatusFile } = await import("./write-status-file.ts");
  writeStatusFile(hooks, reading, vars);
}

/** The hook knows the account that was refused; a transcript read later does not. */
async function keepRefusal(
  { name, account }: HookEvents,
  { session, cwd, report, at = Date.now() }: HookReading,
  vars: Variables,
): Promise<void> {
  const { recordRefusal } = await import("./record-refusal.ts");
  const home = vars["HOME"] ?? "/";
  const reading = { at, agent: name, ...optional("session", session), ...optional("cwd", cwd), windows: [] };
  recordRefusal(amuxHome({ home, platform: process.platform, vars }), report?.message ?? "", reading, () =>
    account?.(home, vars),
  );
}

/** A used-up budget stops the agent where its hooks can, and the session says so. */
function withStop(hooks: HookEvents, reading: HookReading, vars: Variables): HookReading {
  const { event, session, cwd, report } = reading;
  if (hooks.refusal?.(event, "") === undefined || report?.scope !== undefined) return reading;
  const reason = stopReason(hooks, { ...optional("session", session), ...optional("cwd", cwd) }, vars);
  if (reason === undefined) return reading;
  writeSync(1, hooks.refusal(event, reason) ?? "");
  return { ...reading, report: { state: "error", message: reason } };
}

/** Stopping fails open, and says so where the agent shows what its hooks complain about. */
function stopReason(
  { name, account }: HookEvents,
  session: Pick<HookReading, "session" | "cwd">,
  vars: Variables,
): string | undefined {
  const home = vars["HOME"] ?? "/";
  try {
    const who = { agent: name, account: () => account?.(home, vars), ...session };
    return stopFor(amuxHome({ home, platform: process.platform, vars }), who, Date.now());
  } catch (error) {
    writeSync(2, `amux: budgets cannot stop this session: ${String(error)}\n`);
    return undefined;
  }
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

/** A status report in the runner's format, with the rest of the call's data. */
function messageOf(hooks: HookEvents, reading: HookReading): object {
  const { report, at = Date.now(), ...rest } = reading;
  return {
    agent: hooks.name,
    ...rest,
    at: new Date(at).toISOString(),
    ...(report === undefined ? {} : { ...report, source: "hook" }),
  };
}
