/** The one error type that crosses a boundary: a stable code, a sentence the user can act on, and a cause. */

export const ERROR_CODES = [
  "CAPABILITY_ERROR",
  "VALIDATION_ERROR",
  "AUTH_ERROR",
  "AGENT_NOT_FOUND",
  "AGENT_NOT_INSTALLED",
  "AGENT_CRASH",
  "SPAWN_ERROR",
  "COMMAND_NOT_FOUND",
  "TIMEOUT",
  "INACTIVITY_TIMEOUT",
  "PARSE_ERROR",
  "CONFIG_ERROR",
  "CONFIG_LOCK_ERROR",
  "SESSION_NOT_FOUND",
  "PROFILE_NOT_FOUND",
  "PLUGIN_ERROR",
  "RATE_LIMITED",
  "CONTEXT_EXCEEDED",
  "ABORTED",
  "RUN_NOT_ACTIVE",
  "STDIN_NOT_AVAILABLE",
  "NO_PENDING_INTERACTION",
  "INVALID_STATE_TRANSITION",
  "PTY_NOT_AVAILABLE",
  "INTERNAL",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export class AgentMuxError extends Error {
  readonly code: ErrorCode;
  readonly recoverable: boolean;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; recoverable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentMuxError";
    this.code = code;
    this.recoverable = options.recoverable ?? false;
  }
}

/** The agent does not support what was requested. */
export class CapabilityError extends AgentMuxError {
  readonly agent: string;
  readonly capability: string;

  constructor(agent: string, capability: string, message: string) {
    super("CAPABILITY_ERROR", message);
    this.name = "CapabilityError";
    this.agent = agent;
    this.capability = capability;
  }
}

export interface InvalidField {
  field: string;
  message: string;
  received: unknown;
  expected: string;
}

/** One or more fields are wrong; the message names all of them. */
export class ValidationError extends AgentMuxError {
  readonly fields: readonly InvalidField[];

  constructor(fields: readonly InvalidField[]) {
    super("VALIDATION_ERROR", fields.map(({ field, message }) => `${field} ${message}`).join("; "));
    this.name = "ValidationError";
    this.fields = fields;
  }
}
