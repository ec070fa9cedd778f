/** What a hook says, into the status file of the tmux session it runs in. */
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { optional } from "../lib/optional.ts";
import { startTimeOf } from "../lib/processes.ts";
import { applyHook, type HookCall } from "../status/apply-hook.ts";
import { statusDirectory, StatusStore } from "../status/status-store.ts";
import { tmuxPane } from "./tmux-pane.ts";

/** Behind other hooks of the same session at most; longer would be noticed in the agent. */
const LOCK_PATIENCE_MS = 900;

export function writeStatusFile(
  hooks: HookEvents,
  reading: HookReading,
  vars: Readonly<Record<string, string | undefined>>,
): void {
  const pane = tmuxPane(vars);
  if (pane === undefined) return;
  const env = { home: vars["HOME"] ?? "/", platform: process.platform, vars };
  const call: HookCall = {
    agent: hooks.name,
    isMain: hooks.isMain === true,
    reading: { ...reading, ...optional("cwd", reading.cwd ?? pane.cwd) },
    now: Date.now(),
    world: { isAlive: (pid) => startTimeOf(pid) !== undefined },
    tmuxSocket: pane.socket,
    ...optional("tmuxPane", vars["TMUX_PANE"]),
  };
  new StatusStore(statusDirectory(env)).update(pane.session, (file) => applyHook(file, call), LOCK_PATIENCE_MS);
}
