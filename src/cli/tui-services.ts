/**
 * Services the command line gives to the terminal interface, which knows no agents itself. What the first screen does not need is
 * loaded with its first use.
 */
import { agentStartedBy } from "../agents/agent-started-by.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { startArguments, type StartOptions } from "../agents/start-options.ts";
import { DaemonClient } from "../client/daemon-client.ts";
import { bringBackFirst } from "./vault/bring-back-first.ts";
import { AgentMuxError } from "../core/errors.ts";
import { optional } from "../lib/values/optional.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import type { SessionManager } from "../history/manager.ts";
import type { StartableAgent, TuiServices } from "../tui/services.ts";
import type { SpawnRequest } from "../client/shim-client.ts";
import { readWarnings } from "../limits/budget-warnings.ts";
import { readConflicts } from "../status/conflict-file.ts";
import { heldPrompts } from "../status/queue/held-prompts.ts";
import { agentLabel } from "./format/agent-label.ts";
import { snoozeFile } from "./live-sessions.ts";
import { sessionDirectories, shimClient } from "./mux/session-directories.ts";
import { sessionWork } from "./session-work.ts";
import { fileSessions, statusStore } from "./tmux-sessions.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { revivalOf } from "./mux/revive.ts";
import { cannotReopen, forksCopies } from "./run/cannot-reopen.ts";

export async function tuiServices(): Promise<TuiServices> {
  let manager: Promise<SessionManager> | undefined;
  const history = (): Promise<SessionManager> => (manager ??= standingHistory());
  const services: TuiServices = {
    env: processEnv(),
    places: sessionDirectories(),
    client: await shimClient(),
    daemon: new DaemonClient(amuxHome(processEnv())),
    statusFiles: statusStore(),
    history,
    fileSessions,
    snoozes: snoozeFile(),
    answer: async (...asked) => (await import("./answer-session.ts")).answerSession(...asked),
    message: async (...sent) => (await import("./message-session.ts")).messageSession(...sent),
    revival: revivalOf,
    resumption: async (agent, sessionId) => resumption(await history(), agent, sessionId),
    fork: forkOf,
    budgetWarnings: (now) => readWarnings(amuxHome(processEnv()), now),
    conflicts: (isRunning, now) => readConflicts(amuxHome(processEnv()), isRunning, now),
    heldPrompts: (sessions) => heldPrompts(sessionDirectories(), sessions),
    limits: async () => (await import("./limit-lines.ts")).limitLines(),
    openInBrowser,
    agents: installedAgents,
    agentLabel,
    launch: async (command, cwd) => ({
      command: [...command],
      cwd,
      kind: (await agentStartedBy(command, new AgentRegistry())) ?? "shell",
    }),
    work: (subject) => sessionWork(services, subject),
  };
  return services;
}

/** Longer than the minute between two looks at history. */
const KNOWN_MS = 90_000;

async function standingHistory(): Promise<SessionManager> {
  const [{ localSessions }, { CachedStores }] = await Promise.all([
    import("./local-sessions.ts"),
    import("../history/cached-stores.ts"),
  ]);
  return localSessions(new CachedStores(processEnv(), KNOWN_MS)).sessions;
}

async function resumption(history: SessionManager, agent: string, sessionId: string): Promise<SpawnRequest> {
  const adapter = await new AgentRegistry().get(agent);
  const { summary, source } = await history.open(agent, sessionId);
  const command = adapter.launch?.resume?.(sessionId, source);
  if (command === undefined) {
    throw new AgentMuxError("CAPABILITY_ERROR", `${adapter.displayName} cannot resume this session.`);
  }
  bringBackFirst(summary);
  const cwd = summary.cwd ?? process.cwd();
  return {
    command,
    cwd,
    kind: agent,
    resume_key: sessionId,
    ...(summary.title === "" ? {} : { adapter_title: summary.title }),
  };
}

async function forkOf(agent: string, sessionId: string, message?: number): Promise<SpawnRequest> {
  const { createClient } = await import("../index.ts");
  const client = createClient();
  const adapter = await client.adapters.get(agent);
  const { summary, source } = await client.sessions.open(agent, sessionId);
  const cwd = summary.cwd ?? process.cwd();
  const command = message === undefined ? adapter.launch?.fork?.(sessionId, source) : undefined;
  if (command !== undefined) {
    bringBackFirst(summary);
    return { command, cwd, kind: agent };
  }
  if (message === undefined && !forksCopies(adapter.launch)) throw cannotReopen(adapter, "fork");
  const copy = await client.copyForFork(agent, sessionId, { cwd, ...optional("message", message) });
  return { command: copy.command, cwd, kind: agent, ...optional("resume_key", copy.sessionId) };
}

/** Agents whose program is on the PATH. */
async function installedAgents(): Promise<StartableAgent[]> {
  const registry = new AgentRegistry();
  const adapters = await Promise.all(registry.names().map((name) => registry.get(name)));
  return adapters
    .filter(({ command }) => findOnPath(command, process.env) !== undefined)
    .map(({ name, displayName, command, launch }) => ({
      name,
      displayName,
      command,
      ...optional("commandWith", commandWith(command, launch?.start)),
    }));
}

function commandWith(command: string, options: StartOptions | undefined): StartableAgent["commandWith"] {
  if (options?.prompt === undefined) return undefined;
  return (prompt, model) => {
    const asked = { prompt: prompt === "" ? undefined : prompt, model: model === "" ? undefined : model };
    // It names a wish only where the agent cannot be given it.
    return [command, ...(startArguments(options, asked, []) as string[])];
  };
}
