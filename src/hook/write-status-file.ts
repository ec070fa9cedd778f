/** Writes a hook's report to the status file of its tmux session. In amux sessions the runner does that. */
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { optional } from "../lib/values/optional.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import { applyHook, type HookCall } from "../status/apply-hook.ts";
import { statusDirectory } from "../status/status-directory.ts";
import { StatusStore } from "../status/status-store.ts";
import { patience } from "./patience.ts";
import { tmuxPane } from "./tmux-pane.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Waits only for other hooks of the same session; a longer wait would be noticeable in the agent. */
const LOCK_PATIENCE_MS = 900;

export function writeStatusFile(hooks: HookEvents, reading: HookReading, vars: Variables): void {
  const pane = tmuxPane(vars);
  if (pane === undefined) return;
  const call: HookCall = {
    ...callOf(hooks, { ...reading, ...optional("cwd", reading.cwd ?? pane.cwd) }),
    tmuxSocket: pane.socket,
    ...optional("tmuxPane", vars["TMUX_PANE"]),
  };
  storeOf(vars).update(pane.session, (file) => applyHook(file, call), patience(LOCK_PATIENCE_MS, vars));
}

function callOf(hooks: HookEvents, reading: HookReading): HookCall {
  return {
    agent: hooks.name,
    isMain: hooks.isMain === true,
    reading,
    now: Date.now(),
    world: { isAlive: (pid) => startTimeOf(pid) !== undefined },
  };
}

function storeOf(vars: Variables): StatusStore {
  return new StatusStore(statusDirectory({ home: vars["HOME"] ?? "/", platform: process.platform, vars }));
}
