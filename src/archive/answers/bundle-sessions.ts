/** Answers about pulled sessions, from memory. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import type { SessionManager } from "../../history/manager.ts";
import { runIndexOf } from "../../history/run-index.ts";
import { mergedUsage, updatedMsOf, type ArchivedSession } from "../archived-session.ts";
import { Bundle } from "../bundle.ts";
import { managerOf } from "./archived-agents.ts";
import type { SessionQuestions } from "./archive-sessions.ts";
import { keyOf } from "./relatives.ts";

/** A session held by several people appears once, in its newest state. */
export function bundleSessions(path: string, env: AgentEnv, owners?: readonly string[]): SessionQuestions {
  const bundle = new Bundle(path);
  const bundled = [...bundle.sessions()];
  if (bundled.length === 0) {
    throw new AgentMuxError("CONFIG_ERROR", `There are no sessions in ${path}; amux archive pull fetches them.`);
  }
  const wanted = bundled.filter(({ owner }) => owners === undefined || owners.includes(owner));
  const sessions = [
    ...groupBy(
      wanted.map(({ session }) => session),
      keyOf,
    ).values(),
  ].map(newest);
  const { runs, unread } = bundle.notes();
  return withoutIndex(managerOf({ sessions, runs: runIndexOf(runs), unread: new Map(Object.entries(unread)) }, env));
}

function newest(states: readonly ArchivedSession[]): ArchivedSession {
  const sorted = states.toSorted((a, b) => updatedMsOf(b) - updatedMsOf(a) || b.messageCount - a.messageCount);
  return { ...sorted[0]!, usage: mergedUsage(sorted.map(({ usage }) => usage)) };
}

/** This machine's index of its own sessions must not be used for these. */
function withoutIndex(manager: SessionManager): SessionQuestions {
  const none = { index: "none" } as const;
  return {
    list: (agent, options) => manager.list(agent, { ...options, ...none }),
    listAll: (options) => manager.listAll({ ...options, ...none }),
    open: (agent, sessionId) => manager.open(agent, sessionId, none),
    matching: (agent, prefix) => manager.matching(agent, prefix),
    search: (query) => manager.search({ ...query, ...none }),
    totalCost: (options) => manager.totalCost({ ...options, ...none }),
    explainCost: (options) => manager.explainCost({ ...options, ...none }),
    resolveNativeId: (unifiedId) => manager.resolveNativeId(unifiedId),
  };
}
