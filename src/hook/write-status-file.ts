/** What a hook says, into a status file: that of the tmux session it runs in, or that of its session of amux. */
import type { HookEvents, HookReading } from "../core/hooks.ts";
import { optional } from "../lib/optional.ts";
import { startTimeOf } from "../lib/processes.ts";
import { applyHook, type HookCall } from "../status/apply-hook.ts";
import { AMUX_SESSION, withKnownFields, type StatusFile } from "../status/status-file.ts";
import { statusDirectory } from "../status/status-directory.ts";
import { StatusStore } from "../status/status-store.ts";
import { tmuxPane } from "./tmux-pane.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Behind other hooks of the same session at most; longer would be noticed in the agent. */
const LOCK_PATIENCE_MS = 900;

export function writeStatusFile(hooks: HookEvents, reading: HookReading, vars: Variables): void {
  const pane = tmuxPane(vars);
  if (pane === undefined) return;
  const call: HookCall = {
    ...callOf(hooks, { ...reading, ...optional("cwd", reading.cwd ?? pane.cwd) }),
    tmuxSocket: pane.socket,
    ...optional("tmuxPane", vars["TMUX_PANE"]),
  };
  storeOf(vars).update(pane.session, (file) => applyHook(file, call), LOCK_PATIENCE_MS);
}

/** For the dashboards that read these files; amux itself asks the session's runner. */
export function writeSessionFile(
  name: string,
  session: string,
  hooks: HookEvents,
  reading: HookReading,
  vars: Variables,
): void {
  const store = storeOf(vars);
  const call = callOf(hooks, reading);
  // A tmux session of the same name keeps its file.
  const isTaken = (file: StatusFile): boolean => file[AMUX_SESSION] === undefined && file.status !== "";
  const key = isTaken(store.read(name) ?? withKnownFields({}, name)) ? session : name;
  const change = (file: StatusFile): StatusFile | undefined => {
    // What an earlier session of that name left is not this one's.
    const own = file[AMUX_SESSION] === session ? file : withKnownFields({}, key);
    const next = applyHook(own, call);
    return next && { ...next, [AMUX_SESSION]: session };
  };
  store.update(key, change, LOCK_PATIENCE_MS);
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
