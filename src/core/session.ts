/**
 * The vocabulary of history: a conversation as it lies in an agent's own store, normalised.
 * Field names and defaults are those of the session-manager specification; everything added
 * to it is optional.
 */
import type { CostRecord } from "./cost.ts";

/** The folder name of a built-in agent, or the name of a registered plug-in. */
export type AgentName = string;

export type MessageRole = "user" | "assistant" | "system" | "tool";

/** What is known of a session as a whole. */
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
  /** No session, but a note the agent keeps for itself: there is nothing to go on with. */
  memory?: true;
}

export interface SessionSummary extends SessionFacts {
  /** The whole file was not read: counts are 0 and the cost is not there. */
  partial?: boolean;
  /** 0..1, in search results only. */
  relevanceScore?: number;
}

export interface Session extends SessionFacts {
  messages: SessionMessage[];
  /** Helpers that ran inside this session and have no session id of their own. */
  subagents?: SubagentTranscript[];
  /** The native records; read when first touched. */
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
  /** Pictures that came with it, where the agent kept them; tool results in blocks hold theirs in `output`. */
  images?: SessionImage[];
  model?: string;
  /** Copied in from the session this one was forked or resumed from; billed there. */
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

export interface TokenUsage {
  /** Fresh input: neither read from nor written to a cache. */
  inputTokens: number;
  /** All output, reasoning included. */
  outputTokens: number;
  /** The reasoning part of the output, where the agent tells it. */
  thinkingTokens?: number;
  /** Cache reads. */
  cachedTokens?: number;
  /** Cache writes, the 1-hour part included. */
  cacheWriteTokens?: number;
  cacheWrite1hTokens?: number;
}

export interface SubagentTranscript {
  id: string;
  label?: string;
  /** The call of the parent that started it. */
  toolCallId?: string;
  model?: string;
  messages: SessionMessage[];
}
