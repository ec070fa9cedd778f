/** tmux sessions with a status file. What knows the agents is loaded only if there is one. */
import { processEnv } from "../lib/fs/paths.ts";
import type { SessionView } from "../status/session-view.ts";
import { statusDirectory } from "../status/status-directory.ts";
import { AMUX_SESSION, type StatusFile } from "../status/status-file.ts";
import { StatusStore } from "../status/status-store.ts";

export function statusStore(): StatusStore {
  return new StatusStore(statusDirectory(processEnv()));
}

export function fileSessions(now = Date.now()): Promise<SessionView[]> {
  return tmuxSessionsIn(statusStore().list(), now);
}

export async function tmuxSessionsIn(files: readonly { file: StatusFile }[], now: number): Promise<SessionView[]> {
  if (files.every(({ file }) => file[AMUX_SESSION] !== undefined)) return [];
  const [{ agentSignals, MAIN_AGENT }, { AgentRegistry }, { tmuxViews }] = await Promise.all([
    import("../agents/agent-signals.ts"),
    import("../agents/registry.ts"),
    import("../status/tmux-views.ts"),
  ]);
  const registry = new AgentRegistry();
  const signs = (names: readonly string[]): ReturnType<typeof agentSignals> =>
    agentSignals(registry, processEnv(), names);
  return tmuxViews(files, { main: MAIN_AGENT, signs }, now);
}
