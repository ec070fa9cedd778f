/** A user's file, compiled against the packed declarations: every documented call. */
import { AgentMuxError, createClient } from "amux";
import type {
  AgentName,
  BuiltInAgentName,
  CostAggregationOptions,
  CostBreakdown,
  CostRecord,
  CostSummary,
  DiffOperation,
  ErrorCode,
  Session,
  SessionDiff,
  SessionListOptions,
  SessionManager,
  SessionMessage,
  SessionQuery,
  SessionSummary,
  SessionToolCall,
} from "amux";

interface Reference {
  agent: AgentName;
  sessionId: string;
}

/** The session manager's published contract. */
interface Manager {
  list(agent: AgentName, options?: ListOptions): Promise<Summary[]>;
  get(agent: AgentName, sessionId: string): Promise<Conversation>;
  search(query: Query): Promise<Summary[]>;
  totalCost(options?: CostOptions): Promise<Cost>;
  export(agent: AgentName, sessionId: string, format: "json" | "jsonl" | "markdown"): Promise<string>;
  diff(a: Reference, b: Reference): Promise<Difference>;
  resolveUnifiedId(agent: AgentName, nativeSessionId: string): string;
  resolveNativeId(unifiedId: string): { agent: AgentName; nativeSessionId: string } | null;
}

interface Facts extends Reference {
  unifiedId: string;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  turnCount: number;
  model?: string;
  cost?: Bill;
  tags: string[];
  cwd?: string;
  forkedFrom?: string;
}

interface Summary extends Facts {
  messageCount: number;
  relevanceScore?: number;
}

interface Conversation extends Facts {
  messages: Message[];
  raw?: unknown;
}

interface Message {
  role: "user" | "assistant" | "system" | "tool";
  content: string;
  timestamp?: Date;
  toolCalls?: Call[];
  toolResult?: { toolCallId: string; toolName: string; output: unknown };
  tokenUsage?: { inputTokens: number; outputTokens: number; thinkingTokens?: number; cachedTokens?: number };
  cost?: Bill;
  thinking?: string;
  model?: string;
}

interface Call {
  toolCallId: string;
  toolName: string;
  input: unknown;
  output?: unknown;
  durationMs?: number;
}

interface Filters {
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
}

interface Query extends Filters {
  text: string;
  agent?: AgentName;
  limit?: number;
  sort?: "relevance" | "date" | "cost";
}

interface ListOptions extends Filters {
  limit?: number;
  sort?: "date" | "cost" | "turns";
  sortDirection?: "asc" | "desc";
  cwd?: string;
}

interface CostOptions extends Filters {
  agent?: AgentName;
  groupBy?: "agent" | "model" | "day" | "tag";
}

interface Bill {
  totalUsd: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cachedTokens?: number;
}

interface Sum extends Bill {
  thinkingTokens: number;
  cachedTokens: number;
  sessionCount: number;
}

interface Cost extends Sum {
  runCount: number;
  breakdowns?: Record<string, Part>;
}

interface Part extends Sum {
  key: string;
}

interface Difference {
  a: Reference & { unifiedId: string };
  b: Reference & { unifiedId: string };
  operations: Operation[];
  stats: { removals: number; additions: number; modifications: number; unchanged: number };
}

interface Operation {
  type: "addition" | "removal" | "modification" | "unchanged";
  indexA?: number;
  indexB?: number;
  messageA?: Message;
  messageB?: Message;
}

/** Compiles if `From` is usable as `To`. */
type Usable<From extends To, To> = From;

export type Answers = [
  Usable<SessionManager, Manager>,
  Usable<SessionSummary, Summary>,
  Usable<Session, Conversation>,
  Usable<SessionMessage, Message>,
  Usable<SessionToolCall, Call>,
  Usable<CostRecord, Bill>,
  Usable<CostSummary, Cost>,
  Usable<CostBreakdown, Part>,
  Usable<SessionDiff, Difference>,
  Usable<DiffOperation, Operation>,
];

export type Questions = [
  Usable<Query, SessionQuery>,
  Usable<ListOptions, SessionListOptions>,
  Usable<CostOptions, CostAggregationOptions>,
];

export const builtIn: BuiltInAgentName[] = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "pi",
  "omp",
  "openclaw",
  "hermes",
];
export const plugIn: AgentName = "my-agent";
export const codes: ErrorCode[] = ["AGENT_NOT_FOUND", "SESSION_NOT_FOUND", "PARSE_ERROR"];

export async function calls(): Promise<unknown[]> {
  const mux = createClient();
  const { sessions } = mux;
  const listed = await sessions.list("claude", {
    since: new Date("2025-01-01"),
    sort: "cost",
    sortDirection: "desc",
    limit: 20,
  });
  const session = await sessions.get("opencode", "abc-def-123");
  const found = await sessions.search({ text: "refactor auth", since: new Date("2025-01-01"), sort: "relevance" });
  const cost = await sessions.totalCost({ since: new Date("2025-03-01"), groupBy: "agent" });
  const text: string = await sessions.export("claude", "abc123", "markdown");
  const { stats } = await sessions.diff(
    { agent: "claude", sessionId: "original" },
    { agent: "claude", sessionId: "forked" },
  );
  const id: string = sessions.resolveUnifiedId("hermes", "550e8400-e29b-41d4-a716-446655440000");
  try {
    await sessions.get("nobody", "nothing");
  } catch (error) {
    if (error instanceof AgentMuxError) return [error.code satisfies ErrorCode, error.recoverable satisfies boolean];
  }
  // @ts-expect-error Following a session while it grows is no part of the session manager.
  sessions.watch satisfies undefined;
  const { text: answer, sessionId } = await mux.run({ agent: "codex", prompt: "Which routes exist?" });
  return [
    listed.map((row) => row.cost?.totalUsd),
    session.messages.length,
    found[0]?.relevanceScore,
    cost.breakdowns?.["claude"]?.totalUsd,
    text,
    stats.removals + stats.additions + stats.modifications + stats.unchanged,
    sessions.resolveNativeId(id)?.nativeSessionId,
    mux.models.estimateCost("claude", "claude-opus-5-5", 1000, 100),
    answer,
    sessionId,
  ];
}
