/** The library: `createClient()` and the types it speaks in. */
import type { AgentAdapter, AgentEnv } from "./agents/adapter.ts";
import { AgentRegistry } from "./agents/registry.ts";
import { processEnv } from "./lib/paths.ts";
import { estimateCost } from "./models/estimate.ts";
import { SessionManager } from "./sessions/manager.ts";

export interface ClientOptions {
  /** Home, platform and variables to look for sessions in; this process's own by default. */
  env?: Partial<AgentEnv>;
}

export interface AgentMuxClient {
  sessions: SessionManager;
  adapters: {
    list(): string[];
    get(name: string): Promise<AgentAdapter>;
    register(adapter: AgentAdapter): void;
    unregister(name: string): boolean;
  };
  models: {
    /** Dollars for a request of this size; undefined when the model has no known price. */
    estimateCost(agent: string, modelId: string, inputTokens: number, outputTokens: number): number | undefined;
  };
}

/** Does no I/O; stores are read when something is asked of them. */
export function createClient(options: ClientOptions = {}): AgentMuxClient {
  const env: AgentEnv = { ...processEnv(), ...options.env };
  const registry = new AgentRegistry();
  const sessions = new SessionManager(registry, env);
  return {
    sessions,
    adapters: {
      list: () => registry.names(),
      get: (name) => registry.get(name),
      register: (adapter) => registry.register(adapter),
      unregister: (name) => registry.unregister(name),
    },
    models: {
      estimateCost: (agent, modelId, inputTokens, outputTokens) =>
        estimateCost(agent, modelId, inputTokens, outputTokens, sessions.prices),
    },
  };
}

export { defineAgent } from "./agents/adapter.ts";
export type {
  AgentAdapter,
  AgentCapabilities,
  AgentEnv,
  History,
  Launch,
  NativeSearchHit,
  ReportedTotal,
  SessionHead,
  SessionReader,
  SessionSource,
  SessionTally,
  UsageRecord,
} from "./agents/adapter.ts";
export { readerOf } from "./agents/in-memory.ts";
export type { ReadNotes } from "./agents/read-notes.ts";
export type { BuiltInAgentName } from "./agents/builtin.gen.ts";
export type { CostBreakdown, CostKind, CostRecord, CostSummary, TokenCounts } from "./core/cost.ts";
export type { DiffOperation, SessionDiff, SessionReference } from "./core/diff.ts";
export { AgentMuxError, type ErrorCode } from "./core/errors.ts";
export type {
  AgentName,
  Session,
  SessionMessage,
  SessionSummary,
  SessionToolCall,
  SubagentTranscript,
  TokenUsage,
} from "./core/session.ts";
export type { ExportFormat, ExportOptions } from "./sessions/export/export.ts";
export { SessionManager } from "./sessions/manager.ts";
export type { CostAggregationOptions, SessionListOptions, SessionQuery } from "./sessions/options.ts";
export type { SearchMatch, SessionHit } from "./sessions/search.ts";
export type { SessionView } from "./sessions/view.ts";
