/**
 * One call of a hook: reads what the agent says, and hands it to the runner whose session this is, or else into the
 * status file of the tmux session it runs in. Outside of both nobody has asked, and nothing is done.
 */
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { asObject } from "../lib/fields.ts";
import { optional } from "../lib/optional.ts";
import { startTimeOf } from "../lib/processes.ts";
import { statusDirectory, StatusStore } from "../status/status-store.ts";
import { applyHook } from "../status/apply-hook.ts";
import { postToRunner } from "./post-to-runner.ts";
import { readInput } from "./read-input.ts";
import { tmuxPane } from "./tmux-pane.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Set to `off`, it makes every hook do nothing. */
const SWITCH = "AMUX_HOOKS";

/** Behind other hooks of the same session at most; longer would be noticed in the agent. */
const LOCK_PATIENCE_MS = 400;

export async function runHook([agent = "", event]: readonly string[], vars: Variables): Promise<void> {
  const hooks = Object.hasOwn(HOOK_EVENTS, agent) ? HOOK_EVENTS[agent] : undefined;
  const socket = vars["AMUX_SOCKET"];
  if (hooks === undefined || vars[SWITCH] === "off" || (!socket && !vars["TMUX"])) return;
  const payload = parse(await readInput(process.stdin));
  const reading = payload === undefined ? undefined : hooks.read(payload, event, vars);
  if (reading === undefined) return;
  if (socket && (await postToRunner(socket, messageOf(hooks, reading)))) return;
  writeStatusFile(hooks, reading, vars);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined; // Not for us to complain about.
  }
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

function writeStatusFile(hooks: HookEvents, reading: HookReading, vars: Variables): void {
  const pane = tmuxPane(vars);
  if (pane === undefined) return;
  const env = { home: vars["HOME"] ?? "/", platform: process.platform, vars };
  const call = {
    agent: hooks.name,
    isMain: hooks.isMain === true,
    reading: { ...reading, ...optional("cwd", reading.cwd ?? pane.cwd) },
    now: Date.now(),
    world: { isAlive: (pid: number) => startTimeOf(pid) !== undefined },
    tmuxSocket: pane.socket,
  };
  new StatusStore(statusDirectory(env)).update(pane.session, (file) => applyHook(file, call), LOCK_PATIENCE_MS);
}
