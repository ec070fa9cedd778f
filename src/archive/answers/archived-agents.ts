/** Presents archived sessions as agents' stores, so that the same readers work on both. */
import type { AgentAdapter, AgentEnv, SessionSource } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import { SessionManager } from "../../history/manager.ts";
import type { RunIndex } from "../../history/run-index.ts";
import { readerOfArchived, type ArchivedSession } from "../archived-session.ts";

export interface Loaded {
  sessions: readonly ArchivedSession[];
  runs: RunIndex;
  /** Number of unreadable files, by agent. */
  unread?: ReadonlyMap<string, number>;
  /** The requested agent, which may be unknown here. */
  agent?: string;
}

/** A session manager with exactly these sessions. */
export function managerOf({ sessions, runs, unread, agent }: Loaded, env: AgentEnv): SessionManager {
  const registry = new AgentRegistry();
  const byAgent = groupBy(sessions, ({ agent }) => agent);
  // Also for agents without sessions here: otherwise this machine's would be read.
  const asked = agent === undefined ? [] : [agent];
  for (const name of new Set([...registry.names(), ...byAgent.keys(), ...(unread?.keys() ?? []), ...asked])) {
    registry.register(archivedAgent(name, byAgent.get(name) ?? [], unread?.get(name) ?? 0));
  }
  return new SessionManager(registry, env, { runs });
}

const PLACE = "the archive";

function archivedAgent(name: string, sessions: readonly ArchivedSession[], unread: number): AgentAdapter {
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  const of = ({ sessionId }: SessionSource): ArchivedSession => byId.get(sessionId)!;
  return {
    name,
    displayName: name,
    command: name,
    capabilities: { canResume: false, canFork: false, sessionPersistence: "in-memory" },
    history: {
      roots: () => [],
      sessionDir: () => PLACE,
      listSessions: (_, notes) => {
        for (let file = 0; file < unread; file++) notes.skip(PLACE, "could not be read on its machine");
        return sessions.map(({ sessionId, sourceMs }) => ({ sessionId, path: PLACE, files: [], updatedMs: sourceMs }));
      },
      // A copy: readers may change it.
      summarize: (source) => ({ ...of(source).head }),
      read: (source) => readerOfArchived(of(source)),
    },
  };
}
