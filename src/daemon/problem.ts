/** A request that cannot be fulfilled: a code for programs, a sentence for people. */
import type { ErrorCode } from "../core/errors.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { DaemonErrorCode } from "../protocol/daemon-api.ts";

export class Problem extends Error {
  readonly code: DaemonErrorCode;

  constructor(code: DaemonErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const FROM_LIBRARY: Partial<Record<ErrorCode, DaemonErrorCode>> = {
  VALIDATION_ERROR: "bad_request",
  AGENT_NOT_FOUND: "not_found",
  SESSION_NOT_FOUND: "not_found",
  CAPABILITY_ERROR: "bad_request",
  NO_PENDING_INTERACTION: "not_waiting",
  INVALID_STATE_TRANSITION: "incarnation_mismatch",
  SPAWN_ERROR: "launch_failed",
  // Nobody is there to read it.
  ABORTED: "timeout",
  TIMEOUT: "runner_unreachable",
};

/** What the library refuses, in the words of this interface. */
export function problemFrom(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof AgentMuxError)) return undefined;
  return new Problem(FROM_LIBRARY[error.code] ?? "internal", error.message, error);
}
