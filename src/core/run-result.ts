/** How a run ended. */
import type { AgentEvent, RiskLevel } from "./agent-event.ts";
import type { CostRecord } from "./cost.ts";
import type { ErrorCode } from "./errors.ts";
import type { AgentName } from "./session.ts";

/** `crashed`: the program or the model service failed; `error` says which. */
export type ExitReason =
  | "completed"
  | "aborted"
  | "interrupted"
  | "timeout"
  | "inactivity"
  | "turn_limit"
  | "crashed"
  | "killed";

export type RunState =
  | "spawned"
  | "running"
  | "paused"
  | "interrupted"
  | "aborted"
  | "timed-out"
  | "completed"
  | "crashed"
  | "killed";

export interface RunTokenUsage {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  totalTokens: number;
}

export interface RunError {
  code: ErrorCode;
  message: string;
  /** The end of what the agent wrote to standard error. */
  stderr: string;
  recoverable: boolean;
}

export interface RunResult {
  runId: string;
  agent: AgentName;
  model: string | null;
  sessionId: string | null;
  /** The last answer. */
  text: string;
  cost: CostRecord | null;
  durationMs: number;
  exitCode: number | null;
  signal: string | null;
  exitReason: ExitReason;
  tokenUsage: RunTokenUsage | null;
  turnCount: number;
  error: RunError | null;
  /** Filled when `collectEvents` is set. */
  events: AgentEvent[];
  tags: string[];
}

export type InteractionDetail =
  | { kind: "approval"; action: string; toolName?: string; riskLevel: RiskLevel }
  | { kind: "input"; question: string; context?: string; source: "agent" | "tool" };

export interface PendingInteraction {
  id: string;
  type: "approval" | "input";
  runId: string;
  description: string;
  detail: InteractionDetail;
  createdAt: number;
}

export type InteractionAnswer =
  | { type: "approve"; detail?: string }
  | { type: "deny"; reason?: string }
  | { type: "text"; text: string };
