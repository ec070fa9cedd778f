/** Derives the error, reason and result at the end of a run. */
import type { AgentAdapter } from "../agents/adapter.ts";
import type { AgentEvent } from "../core/agent-event.ts";
import type { CostRecord } from "../core/cost.ts";
import type { ExitReason, RunError, RunResult } from "../core/run-result.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import type { ProcessEnd } from "./agent-process.ts";
import { usageInCost, type RunFacts } from "./run-facts.ts";
import type { RunPlan } from "./run-plan.ts";

const MAX_REASON_LENGTH = 300;

/** Ends caused by the caller or a limit, not by the agent. */
export type Ending = Exclude<ExitReason, "completed" | "crashed" | "killed">;

export interface RunEnd {
  ending: Ending | undefined;
  error: RunError | null;
  cost: CostRecord | null;
  /** Of the last attempt; undefined if there was none. */
  process: ProcessEnd | undefined;
  durationMs: number;
}

/** Undefined if the attempt succeeded. */
export function errorOfAttempt(end: ProcessEnd, facts: RunFacts, adapter: AgentAdapter): RunError | undefined {
  const { exitCode, signal, stderr, spawnError } = end;
  if (spawnError) {
    const message = `${adapter.displayName} could not be started: ${spawnError.message}`;
    return { code: "SPAWN_ERROR", message, stderr, recoverable: false };
  }
  if (facts.reachedTurnLimit) return undefined;
  if (facts.failure) return { ...facts.failure, stderr };
  if (exitCode === 0) return undefined;
  const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  const lastWords = truncate(oneLine(stderr.trimEnd().split("\n").at(-1) ?? ""), MAX_REASON_LENGTH);
  const message = `${adapter.displayName} ${how}${lastWords === "" ? "." : `: ${lastWords}`}`;
  // A program that ends before its session began was started wrongly; a retry would fail too.
  return { code: "AGENT_CRASH", message, stderr, recoverable: facts.hasBegun };
}

export function errorOfEnding(
  ending: Ending | undefined,
  plan: RunPlan,
  end: ProcessEnd | undefined,
): RunError | undefined {
  const stderr = end?.stderr ?? "";
  switch (ending) {
    case "aborted":
      return { code: "ABORTED", message: "The run was aborted.", stderr, recoverable: false };
    case "interrupted":
      return { code: "ABORTED", message: "The run was interrupted.", stderr, recoverable: false };
    case "timeout":
      return { code: "TIMEOUT", message: `The run took longer than ${plan.timeoutMs} ms.`, stderr, recoverable: true };
    case "inactivity": {
      const message = `No output from the agent for ${plan.inactivityMs} ms.`;
      return { code: "INACTIVITY_TIMEOUT", message, stderr, recoverable: true };
    }
    default:
      return undefined;
  }
}

export function resultOf(plan: RunPlan, facts: RunFacts, end: RunEnd, events: AgentEvent[]): RunResult {
  return {
    runId: plan.runId,
    agent: plan.agent,
    model: facts.model ?? null,
    sessionId: facts.sessionId ?? null,
    text: facts.text,
    cost: end.cost,
    durationMs: end.durationMs,
    exitCode: end.process?.exitCode ?? null,
    signal: end.process?.signal ?? null,
    exitReason: end.ending ?? reasonOf(end),
    tokenUsage: facts.tokenUsage ?? (end.cost ? usageInCost(end.cost) : null),
    turnCount: facts.turnCount,
    error: end.error,
    events,
    tags: plan.tags,
  };
}

function reasonOf({ error, process }: RunEnd): ExitReason {
  if (!error) return "completed";
  return process && process.signal !== null ? "killed" : "crashed";
}
