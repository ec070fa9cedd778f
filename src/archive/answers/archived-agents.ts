/** Presents archived sessions as agents' stores, so that the same readers work on both. */
import type { AgentAdapter, AgentEnv, SessionSource } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import { SessionManager } from "../../history/manager.ts";
import { runIndexOf, type RunIndex } from "../../history/run-index.ts";
import { readLabels, type SessionLabels } from "../../history/session-labels.ts";
import { readerOfArchived, type ArchivedSession } from "../archived-session.ts";

export interface Loaded {
  sessions: readonly ArchivedSession[];
  runs: RunIndex;
  /** Number of unreadable files, by agent. */
  unread?: ReadonlyMap<string, number>;
  /** The requested agent, which may be unknown here. */
  agent?: string;
}

/** A session manager with exactly these sessions, and with the tags and stars that the user of this machine gave them. */
export function managerOf({ sessions, runs, unread, agent }: Loaded, env: AgentEnv): SessionManager {
  const registry = new AgentRegistry();
  const byAgent = groupBy(sessions, ({ agent }) => agent);
  // Also for agents without sessions here: otherwise this machine's would be read.
  const asked = agent === undefined ? [] : [agent];
  for (const name of new Set([...registry.names(), ...byAgent.keys(), ...(unread?.keys() ?? []), ...asked])) {
    registry.register(archivedAgent(name, byAgent.get(name) ?? [], unread?.get(name) ?? 0));
  }
  return new SessionManager(registry, env, { runs: runIndexOf(runs.runs, runs.skipped, unnamed(readLabels(env))) });
}

/** An archived session keeps its archived title: the database searches no other. */
function unnamed(labels: SessionLabels): SessionLabels {
  return new Map([...labels].map(([id, { tags, starred }]) => [id, { tags, starred }]));
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
