/** A failed request: a code for programs, a sentence for people. */
import type { ErrorCode } from "../core/errors.ts";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { errorText, isProgramReplaced } from "../lib/text/error-text.ts";
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
  CONFIG_ERROR: "not_possible",
  CONFIG_LOCK_ERROR: "not_possible",
  AGENT_NOT_FOUND: "not_found",
  SESSION_NOT_FOUND: "not_found",
  CAPABILITY_ERROR: "not_possible",
  NO_PENDING_INTERACTION: "not_waiting",
  INVALID_STATE_TRANSITION: "invalid_state",
  SPAWN_ERROR: "launch_failed",
  COMMAND_NOT_FOUND: "launch_failed",
  // Nobody reads it.
  ABORTED: "timeout",
  TIMEOUT: "runner_unreachable",
};

/** Errors of the machine, whatever causes them. */
const FROM_SYSTEM: Readonly<Record<string, [DaemonErrorCode, string]>> = {
  ENOSPC: ["disk_full", "The disk is full. Free some space and try again."],
  EDQUOT: ["disk_full", "Your disk quota is used up. Free some space and try again."],
  EROFS: ["disk_full", "The disk cannot be written to."],
  EMFILE: ["out_of_files", "The daemon has too many open files. Try again, or raise its limit (ulimit -n)."],
  ENFILE: ["out_of_files", "This machine has too many open files. Try again."],
};

/** Converts errors of the library or the system to this API's codes. */
export function problemFrom(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof AgentMuxError) return new Problem(FROM_LIBRARY[error.code] ?? "internal", error.message, error);
  if (isProgramReplaced(error)) return new Problem("internal", errorText(error), error);
  const [code, message] = FROM_SYSTEM[codeOf(error)] ?? [];
  return code === undefined ? undefined : new Problem(code, message!, error);
}
