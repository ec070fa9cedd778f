/** Run events: one union for all agents. A parser emits event bodies; the run adds the run id, the agent and the time. */
import type { CostRecord, TokenUsage } from "./cost.ts";
import type { ErrorCode } from "./errors.ts";

export type RiskLevel = "low" | "medium" | "high";

interface ToolCall {
  toolCallId: string;
  toolName: string;
}

interface EventFields {
  session_start: { sessionId: string; resumed: boolean; forkedFrom?: string; model?: string };
  session_resume: { sessionId: string; priorTurnCount?: number };
  session_fork: { sessionId: string; forkedFrom: string };
  session_checkpoint: { sessionId: string; checkpointId: string };
  session_end: { sessionId: string; turnCount: number; cost?: CostRecord };

  /** A turn is a prompt and its whole answer; a step is one model call within it. */
  turn_start: { turnIndex: number };
  turn_end: { turnIndex: number; cost?: CostRecord };
  step_start: { turnIndex: number; stepIndex: number; stepType: string; model?: string };
  step_end: { turnIndex: number; stepIndex: number; stepType: string };

  message_start: object;
  text_delta: { delta: string; accumulated: string };
  message_stop: { text: string };

  thinking_start: { effort?: string };
  thinking_delta: { delta: string; accumulated: string };
  thinking_stop: { thinking: string };

  tool_call_start: ToolCall & { inputAccumulated: string };
  tool_input_delta: { toolCallId: string; delta: string; inputAccumulated: string };
  tool_call_ready: ToolCall & { input: unknown };
  tool_result: ToolCall & { output: unknown; durationMs: number };
  tool_error: ToolCall & { error: string; durationMs: number };

  file_read: { path: string };
  file_write: { path: string; byteCount?: number };
  file_create: { path: string; byteCount?: number };
  file_delete: { path: string };
  file_patch: { path: string; diff?: string };

  shell_start: { command: string; cwd: string };
  shell_stdout_delta: { delta: string };
  shell_stderr_delta: { delta: string };
  /** `exitCode` is null when the agent does not report it. */
  shell_exit: { exitCode: number | null; durationMs: number };

  mcp_tool_call_start: ToolCall & { server: string; input: unknown };
  mcp_tool_result: ToolCall & { server: string; output: unknown };
  mcp_tool_error: ToolCall & { server: string; error: string };

  subagent_spawn: { subagentId: string; agentName: string; prompt: string };
  subagent_result: { subagentId: string; agentName: string; summary: string; cost?: CostRecord };
  subagent_error: { subagentId: string; agentName: string; error: string };

  plugin_loaded: { pluginId: string; pluginName: string; version: string };
  plugin_invoked: { pluginId: string; pluginName: string };
  plugin_error: { pluginId: string; pluginName: string; error: string };
  skill_loaded: { skillName: string; source: string };
  skill_invoked: { skillName: string };
  agentdoc_read: { path: string };

  image_output: { mimeType: string; base64?: string; filePath?: string };
  image_input_ack: { mimeType: string };

  /** Dollars the agent reported since the previous `cost` event: add them up. */
  cost: { cost: CostRecord };
  /** Tokens of the requests since the previous `token_usage` event: add them up. */
  token_usage: TokenUsage & { model?: string };

  input_required: { interactionId: string; question: string; context?: string; source: "agent" | "tool" };
  approval_request: {
    interactionId: string;
    action: string;
    detail: string;
    toolName?: string;
    riskLevel: RiskLevel;
  };
  approval_granted: { interactionId: string };
  approval_denied: { interactionId: string; reason?: string };

  /** The agent hit a rate limit and retries by itself. */
  rate_limited: { retryAfterMs?: number };
  context_limit_warning: { usedTokens: number; maxTokens: number; pctUsed: number };
  context_compacted: { summary: string; tokensSaved?: number };
  retry: { attempt: number; maxAttempts: number; reason: string; delayMs: number };

  interrupted: object;
  aborted: object;
  paused: object;
  resumed: object;
  timeout: { kind: "run" | "inactivity" };
  turn_limit: { maxTurns: number };
  /** A requested option is applied in another way, or only in part. */
  stream_fallback: { capability: string; reason: string };

  /** An error event ends the run unless the run is retried. */
  auth_error: { message: string; guidance: string };
  rate_limit_error: { message: string; retryAfterMs?: number };
  context_exceeded: { message: string; usedTokens?: number; maxTokens?: number };
  crash: { exitCode: number | null; stderr: string };
  error: { code: ErrorCode; message: string; recoverable: boolean };

  debug: { level: "info" | "warning" | "error"; message: string };
  /** A line of output that the agent's parser does not understand. */
  log: { source: "stdout" | "stderr"; line: string };
}

export type AgentEventType = keyof EventFields;

interface EventBase {
  runId: string;
  agent: string;
  /** Milliseconds since the epoch, when the event was received. */
  timestamp: number;
}

interface EventOrigin {
  /** Id of the sub-agent that emitted it; absent for the agent itself. */
  subagentId?: string;
}

export type AgentEventOf<Type extends AgentEventType> = { type: Type } & EventBase & EventOrigin & EventFields[Type];

export type AgentEvent = { [Type in AgentEventType]: AgentEventOf<Type> }[AgentEventType];

/** An event before the run adds its id and the time. */
export type EventBody = { [Type in AgentEventType]: { type: Type } & EventOrigin & EventFields[Type] }[AgentEventType];
