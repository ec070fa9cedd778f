/** What questions about sessions are answered from. Everything is read when it is first needed. */
import type { AgentEnv } from "../../agents/adapter.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { ConflictRadar } from "../../changes/conflict/radar.ts";
import { CachedStores } from "../../history/cached-stores.ts";
import { SessionManager } from "../../history/manager.ts";
import type { AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { ProjectWatch } from "../../status/projects/project-watch.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { HistorySources } from "./history-answer.ts";
import { OpenTranscripts } from "./open-transcripts.ts";

/** Users return to a page within minutes; until then cached results cost memory. */
const KNOWN_MS = 120_000;

export function historySources(
  registry: AgentRegistry,
  env: AgentEnv,
  answering: AnsweringDirectories,
  onProblem: (what: string, error: unknown) => void,
): HistorySources {
  const manager = new SessionManager(registry, env, {
    standing: new CachedStores(env, KNOWN_MS),
    onProblem: (error) => onProblem("filling the search index", error),
  });
  const radar = new ConflictRadar(async (agent, sessionId) => {
    const { summary, messages, subagents } = await manager.open(agent, sessionId);
    const transcripts = [messages(), ...subagents().map((each) => each.messages)];
    return { cwd: summary.cwd, updatedMs: summary.updatedAt.getTime(), transcripts };
  });
  let live: readonly SessionView[] = [];
  const projects = new ProjectWatch({ env, sessions: async () => live, answering });
  return {
    manager,
    transcripts: new OpenTranscripts(manager),
    registry,
    env,
    lookAtProjects: async (sessions) => {
      live = sessions;
      return (await projects.look()).snapshots;
    },
    radar,
    searches: new Set(),
  };
}
