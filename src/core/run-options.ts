/** Options of a run. Each one is applied, applied with a reported fallback, or refused; none is ignored. */
import type { AgentEventOf } from "./agent-event.ts";
import type { ErrorCode } from "./errors.ts";
import type { AgentName } from "./session.ts";

export const APPROVAL_MODES = ["yolo", "prompt", "deny"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

export const THINKING_EFFORTS = ["low", "medium", "high", "max"] as const;
export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

export const SYSTEM_PROMPT_MODES = ["prepend", "append", "replace"] as const;
export type SystemPromptMode = (typeof SYSTEM_PROMPT_MODES)[number];

/** One of `filePath`, `url` and `base64`. */
export interface Attachment {
  filePath?: string;
  url?: string;
  base64?: string;
  mimeType?: string;
  name?: string;
}

export interface McpServer {
  name: string;
  transport: "stdio" | "sse" | "streamable-http";
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

export interface RetryPolicy {
  maxAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
  /** Random share of the delay, so that many runs do not retry at the same moment. */
  jitterFactor: number;
  retryOn: ErrorCode[];
}

/** Fields that a profile or a configuration file may also set. */
export interface RunDefaults {
  agent?: AgentName;
  model?: string;
  systemPrompt?: string;
  systemPromptMode?: SystemPromptMode;
  thinkingEffort?: ThinkingEffort;
  thinkingBudgetTokens?: number;
  thinkingOverride?: Record<string, unknown>;
  temperature?: number;
  topP?: number;
  topK?: number;
  maxTokens?: number;
  maxOutputTokens?: number;
  /** Stream text as the agent writes it. `auto` streams if the agent can; `true` reports a fallback if it cannot. */
  stream?: boolean | "auto";
  outputFormat?: "text" | "json" | "jsonl";
  /** One prompt, one answer: the agent's standard input is closed after the prompt. */
  nonInteractive?: boolean;
  /** Keep every event in the result. */
  collectEvents?: boolean;
  /** Milliseconds for the whole run, retries included; 0 is no limit. */
  timeout?: number;
  /** Milliseconds without any output; 0 is no limit. */
  inactivityTimeout?: number;
  /** Model calls in one run. */
  maxTurns?: number;
  /** Milliseconds between asking the agent to stop and stopping it. */
  gracePeriodMs?: number;
  approvalMode?: ApprovalMode;
  skills?: string[];
  mcpServers?: McpServer[];
  retryPolicy?: Partial<RetryPolicy>;
  tags?: string[];
}

export interface RunOptions extends RunDefaults {
  /** Parts are joined by a blank line. */
  prompt: string | string[];
  attachments?: Attachment[];
  sessionId?: string;
  forkSessionId?: string;
  /** For a fork: the message it continues from, counted from 0; the last one by default. */
  forkMessage?: number;
  /** Leave nothing in the agent's store. */
  noSession?: boolean;
  cwd?: string;
  env?: Record<string, string>;
  agentsDoc?: string;
  runId?: string;
  projectId?: string;
  profile?: string;
  onInputRequired?: (event: AgentEventOf<"input_required">) => string | Promise<string>;
  onApprovalRequest?: (event: AgentEventOf<"approval_request">) => "approve" | "deny" | Promise<"approve" | "deny">;
}
