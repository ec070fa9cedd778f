/** Exit codes for scripts. */
import type { ErrorCode } from "../core/errors.ts";

const GENERAL = 1;

const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: 2,
  AGENT_NOT_FOUND: 3,
  AGENT_NOT_INSTALLED: 4,
  AUTH_ERROR: 5,
  CAPABILITY_ERROR: 6,
  CONFIG_ERROR: 7,
  CONFIG_LOCK_ERROR: 7,
  SESSION_NOT_FOUND: 8,
  PROFILE_NOT_FOUND: 9,
  PLUGIN_ERROR: 10,
  TIMEOUT: 11,
  INACTIVITY_TIMEOUT: 11,
  AGENT_CRASH: 12,
  ABORTED: 13,
  RATE_LIMITED: 14,
  CONTEXT_EXCEEDED: 15,
  // As in shells and env(1).
  COMMAND_NOT_FOUND: 127,
};

export function exitCodeOf(code: ErrorCode): number {
  return EXIT_CODES[code] ?? GENERAL;
}
