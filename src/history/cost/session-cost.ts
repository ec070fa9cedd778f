/** The cost of one session's requests, all or since a given time. A run learns its own cost from it. */
import type { CostRecord } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { figuresOf, tokensIn } from "../../core/tokens.ts";
import type { SessionManager } from "../manager.ts";
import { COST_KINDS } from "./cost-item.ts";

/** Undefined if the session is not in the agent's store, or made no requests. */
export async function costOfSession(
  sessions: SessionManager,
  agent: string,
  sessionId: string,
  since?: Date,
): Promise<CostRecord | undefined> {
  try {
    const { summary } = await sessions.explainCost({ agent, sessionId, ...(since === undefined ? {} : { since }) });
    const kind = COST_KINDS.findLast((candidate) => summary.kinds[candidate].requests > 0);
    if (kind === undefined) return undefined;
    return { totalUsd: summary.totalUsd, ...figuresOf(tokensIn(summary)), kind };
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}
