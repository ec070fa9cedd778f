/** All sessions of all installs, each once. */
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionsInDatabase } from "./database-sessions.ts";
import { documentSessions, fileSessions } from "./file-sessions.ts";
import { type FoundSession, KeyTimeline, type Locator, RANKS } from "./found-session.ts";
import { agentDirectories, stateDirectories, topSessions, type StateDirectory } from "./locations.ts";

/**
 * A session that was imported into the database, published as a file, or copied to a later product's directory is the
 * same session. It is listed from the first place that has it.
 */
export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const found = stateDirectories(env).flatMap((state) => sessionsOfInstall(state, notes));
  found.sort((a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank));
  const seen = new Set<string>();
  const sources = new Map<string, SessionSource>();
  for (const session of found) {
    if (seen.has(session.identity)) continue;
    seen.add(session.identity);
    const sessionId = sources.has(session.id) ? session.distinctId : session.id;
    if (sources.has(sessionId)) notes.skip(session.path, `has the id of another session (${sessionId})`);
    else sources.set(sessionId, sourceOf(session, sessionId));
  }
  return [...sources.values()];
}

function sourceOf(session: FoundSession, sessionId: string): SessionSource {
  const { path, files, updatedMs, transcript, about } = session;
  const locator: Locator = { transcript, about };
  return { sessionId, path, files, updatedMs, locator };
}

function sessionsOfInstall(state: StateDirectory, notes: ReadNotes): FoundSession[] {
  // Across all agents: a sub-agent may belong to another agent than its parent.
  const keys = new KeyTimeline();
  let found: FoundSession[] = [];
  for (const agent of agentDirectories(state, notes.onProblem)) {
    const owner = state.profile === undefined ? agent.agentId : `${state.profile}/${agent.agentId}`;
    found = found.concat(sessionsInDatabase(agent, owner, keys, notes), fileSessions(agent, owner, keys, notes));
  }
  found = found.concat(documentSessions(topSessions(state), notes));
  for (const session of found) {
    if (state.profile !== undefined) session.about.profile = state.profile;
    const parentId = session.spawned && keys.sessionAt(session.spawned.by, session.spawned.atMs);
    if (parentId !== undefined && parentId !== session.id) session.about.parentId = parentId;
  }
  return found;
}
