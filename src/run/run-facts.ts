/** Totals and facts from the events of a run. */
import type { AgentEvent, EventBody } from "../core/agent-event.ts";
import type { CostRecord, TokenCounts } from "../core/cost.ts";
import type { RunError, RunTokenUsage } from "../core/run-result.ts";
import { addTokens, figuresOf, NO_TOKENS, tokensIn } from "../core/tokens.ts";

type Failure = Omit<RunError, "stderr">;

export class RunFacts {
  sessionId: string | undefined;
  model: string | undefined;
  text = "";
  turnCount = 0;
  stepCount = 0;
  reachedTurnLimit = false;
  /** Failure of the current attempt. */
  failure: Failure | undefined;
  retryAfterMs: number | undefined;
  hasActed = false;
  hasBegun = false;
  hasSubagents = false;
  readonly usage: { model: string | undefined; tokens: TokenCounts }[] = [];
  readonly #costs: CostRecord[] = [];

  /** A new process starts afresh, but usage accumulates. */
  beginAttempt(): void {
    this.failure = undefined;
    this.retryAfterMs = undefined;
    this.hasActed = false;
    this.hasBegun = false;
  }

  see(event: AgentEvent | EventBody): void {
    switch (event.type) {
      case "session_start":
        this.sessionId = event.sessionId;
        this.model = event.model ?? this.model;
        this.hasBegun = true;
        break;
      case "message_stop":
        if (event.subagentId === undefined) this.text = event.text;
        break;
      case "turn_end":
        this.turnCount++;
        break;
      case "step_start":
        this.stepCount++;
        this.model = event.model ?? this.model;
        break;
      case "tool_call_ready":
        this.hasActed = true;
        break;
      case "subagent_spawn":
        this.hasSubagents = true;
        break;
      case "token_usage":
        this.model = event.model ?? this.model;
        this.usage.push({ model: event.model, tokens: tokensIn(event) });
        break;
      case "cost":
        this.#costs.push(event.cost);
        break;
      case "turn_limit":
        this.reachedTurnLimit = true;
        break;
      case "auth_error":
        this.failure = { code: "AUTH_ERROR", message: `${event.message} ${event.guidance}`, recoverable: false };
        break;
      case "rate_limit_error":
        this.failure = { code: "RATE_LIMITED", message: event.message, recoverable: true };
        this.retryAfterMs = event.retryAfterMs;
        break;
      case "context_exceeded":
        this.failure = { code: "CONTEXT_EXCEEDED", message: event.message, recoverable: false };
        break;
      case "error":
        this.failure = { code: event.code, message: event.message, recoverable: event.recoverable };
        break;
      default:
        break;
    }
  }

  /** Dollars reported by the agent; undefined if they cover only part of the tokens. */
  get reportedCost(): CostRecord | undefined {
    if (this.#costs.length === 0) return undefined;
    const cost = this.#costs.reduce(addCosts);
    return usageInCost(cost).totalTokens === (this.tokenUsage?.totalTokens ?? 0) ? cost : undefined;
  }

  get tokenUsage(): RunTokenUsage | null {
    if (this.usage.length === 0) return null;
    return usageOf(this.usage.reduce((sum, { tokens }) => addTokens(sum, tokens), { ...NO_TOKENS }));
  }
}

function usageOf(tokens: TokenCounts): RunTokenUsage {
  const { cacheWrite1hTokens: _, ...figures } = figuresOf(tokens);
  return { ...figures, totalTokens: tokens.input + tokens.cached + tokens.cacheWrite + tokens.output };
}

/** The tokens of a cost record, for a run whose stream reported none. */
export function usageInCost(cost: CostRecord): RunTokenUsage {
  return usageOf(tokensIn(cost));
}

function addCosts(a: CostRecord, b: CostRecord): CostRecord {
  return {
    // Dollars are decimal fractions: adding nano-dollars keeps the sum exact.
    totalUsd: (Math.round(a.totalUsd * 1e9) + Math.round(b.totalUsd * 1e9)) / 1e9,
    ...figuresOf(addTokens(tokensIn(a), tokensIn(b))),
    kind: "reported",
  };
}
