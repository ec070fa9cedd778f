/** Whether a failed attempt is retried, and when. */
import type { RetryPolicy } from "../core/run-options.ts";
import type { RunError } from "../core/run-result.ts";

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  jitterFactor: 0.1,
  retryOn: ["RATE_LIMITED", "AGENT_CRASH", "TIMEOUT"],
};

export interface FailedAttempt {
  /** Counted from 1. */
  number: number;
  error: RunError;
  /** It called a tool: running the prompt again could repeat its effects. */
  hasActed: boolean;
  retryAfterMs?: number | undefined;
}

/** Milliseconds before the next attempt; undefined if there is none. */
export function delayBeforeRetry(
  policy: RetryPolicy,
  { number, error, hasActed, retryAfterMs = 0 }: FailedAttempt,
  random: () => number = Math.random,
): number | undefined {
  if (number >= policy.maxAttempts || hasActed || !error.recoverable || !policy.retryOn.includes(error.code)) {
    return undefined;
  }
  // If the service asks for a longer delay than the policy allows, there is no retry.
  if (retryAfterMs > policy.maxDelayMs) return undefined;
  const backOff = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (number - 1));
  const jitter = 1 + policy.jitterFactor * (2 * random() - 1);
  return Math.round(Math.max(retryAfterMs, backOff * jitter));
}
