/** Classifies a model service's refusal by the status and the text that the agent passes on. */
import type { EventBody } from "../../core/agent-event.ts";

const AUTH =
  /\b(?:401|403)\b|unauthori[sz]ed|authentication|invalid api key|not logged in|please (?:log|sign) in|login required/i;
const RATE = /\b(?:429|529)\b|rate.?limit|overloaded|quota|too many requests|usage limit/i;
const CONTEXT =
  /context.?(?:length|window|limit)|prompt is too long|maximum context|too many tokens|input.{0,20}exceeds/i;
const TIMEOUT = /\b(?:408|504)\b|timed? ?out|ETIMEDOUT/i;
const TRANSIENT = /\b(?:500|502|503)\b|ECONNRESET|ECONNREFUSED|ENOTFOUND|socket hang up|fetch failed|network error/i;

export interface Failure {
  message: string;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  /** How the user fixes a missing sign-in. */
  guidance: string;
}

/** The error in the last output of a process, if it says more than that it failed. */
export function failuresIn(stderr: string, guidance: string): EventBody[] {
  const message = stderr.trimEnd().split("\n").slice(-LAST_LINES).join("\n").trim();
  const event = failureEvent({ message, guidance });
  return event.type === "error" ? [] : [event];
}

/** Reasons come last, sometimes followed by a hint. */
const LAST_LINES = 5;

export function failureEvent({ message, status, retryAfterMs, guidance }: Failure): EventBody {
  // A status is decisive; without one, use the text.
  const told = (words: RegExp, ...statuses: number[]): boolean =>
    status === undefined ? words.test(message) : statuses.includes(status);
  if (told(AUTH, 401, 403)) return { type: "auth_error", message, guidance };
  if (told(RATE, 429, 529)) {
    return { type: "rate_limit_error", message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (CONTEXT.test(message) || status === 413) return { type: "context_exceeded", message };
  if (told(TIMEOUT, 408, 504)) return { type: "error", code: "TIMEOUT", message, recoverable: true };
  const recoverable = status === undefined ? TRANSIENT.test(message) : status >= 500;
  return { type: "error", code: "AGENT_CRASH", message, recoverable };
}
