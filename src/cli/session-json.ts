/** A session as JSON for scripts. */
import { stateFrom } from "../core/state.ts";
import { statusOf } from "../protocol/wire-status.ts";
import type { AgentView, SessionView } from "../status/session-view.ts";

export function sessionJson(session: SessionView): object {
  const { ref, name, place, cwd, top, agents, team, unread, updatedMs, ...details } = session;
  return {
    ref,
    name,
    place,
    cwd,
    state: top.status,
    agent: top.agent,
    ...(top.message === undefined ? {} : { message: top.message }),
    since: iso(top.since),
    updatedAt: iso(updatedMs),
    status: wireStatus(top),
    agents: agents.map(agentJson),
    ...(team.length === 0 ? {} : { team }),
    ...(unread === undefined ? {} : { unread }),
    ...details,
  };
}

function agentJson({ agent, isMain, status, label, message, since, verdict }: AgentView): object {
  return {
    agent,
    isMain,
    state: status,
    ...(label === undefined ? {} : { label }),
    ...(message === undefined ? {} : { message }),
    since: iso(since),
    ...(verdict === undefined ? {} : { source: verdict.by.source, event: verdict.by.event }),
  };
}

/** The small status beside a dot. */
export function wireStatus({ status, label, message }: AgentView): object | null {
  const state = stateFrom(status);
  if (state === undefined) return null;
  return statusOf({
    state,
    source: "hook",
    ...(label === undefined ? {} : { label }),
    ...(message === undefined ? {} : { message }),
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
