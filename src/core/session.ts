/**
 * History types: a conversation from an agent's own store, normalised. Fields beyond the session-manager specification are
 * optional.
 */
import type { CostRecord, TokenUsage } from "./cost.ts";

/** The folder name of a built-in agent, or the name of a registered plug-in. */
export type AgentName = string;

export type MessageRole = "user" | "assistant" | "system" | "tool";

/** Facts about a session as a whole. */
export interface SessionFacts {
  agent: AgentName;
  sessionId: string;
  unifiedId: string;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  /** User messages that were answered. */
  turnCount: number;
  messageCount: number;
  model?: string;
  cost?: CostRecord;
  tags: string[];
  cwd?: string;
  /** Session this one was forked or copied from. */
  forkedFrom?: string;
  /** Session whose sub-agent wrote this one. */
  parentId?: string;
  branch?: string;
  agentVersion?: string;
  archived?: boolean;
  /** Its own file is gone; it is read from the vault. */
  inVault?: true;
  /** The user marked it. */
  starred?: true;
  /** Not a session but a memory file of the agent: it cannot be resumed. */
  memory?: true;
  /** In a redacted export: how many values were taken out. */
  redacted?: number;
}

export interface SessionSummary extends SessionFacts {
  /** Only part of the file was read: counts are 0 and the cost is missing. */
  partial?: boolean;
  /** 0..1, in search results only. */
  relevanceScore?: number;
}

export interface Session extends SessionFacts {
  messages: SessionMessage[];
  /** Sub-agents that ran inside this session and have no session id of their own. */
  subagents?: SubagentTranscript[];
  /** The native records, read on first access. */
  raw?: unknown;
}

export interface SessionMessage {
  role: MessageRole;
  content: string;
  timestamp?: Date;
  toolCalls?: SessionToolCall[];
  toolResult?: { toolCallId: string; toolName: string; output: unknown; isError?: boolean };
  tokenUsage?: TokenUsage;
  cost?: CostRecord;
  thinking?: string;
  /** Images attached to it, if the agent kept them; images of tool results are in `output`. */
  images?: SessionImage[];
  model?: string;
  /** Copied from the session this one was forked or resumed from, and billed there. */
  inherited?: boolean;
}

export interface SessionImage {
  /** `image/png`, … */
  mediaType: string;
  /** Base64. */
  data: string;
}

export interface SessionToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  output?: unknown;
  durationMs?: number;
  isError?: boolean;
}

export interface SubagentTranscript {
  id: string;
  label?: string;
  /** The parent's tool call that started it. */
  toolCallId?: string;
  model?: string;
  messages: SessionMessage[];
}
