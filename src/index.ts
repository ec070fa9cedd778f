/// <reference types="node" preserve="true" />
/** The library: `createClient()` and its types. */
import { join } from "node:path";
import type { AgentAdapter, AgentEnv } from "./agents/adapter.ts";
import type { ForkCopy } from "./agents/fork-copy.ts";
import { AgentRegistry } from "./agents/registry.ts";
import type { BlameQuestion } from "./changes/blame/blame.ts";
import type { BlameReport } from "./changes/blame/blame-report.ts";
import type { ChangesOptions } from "./changes/diff/subject.ts";
import type { SessionChanges } from "./core/changes.ts";
import type { RunDefaults, RunOptions } from "./core/run-options.ts";
import { optional } from "./lib/values/optional.ts";
import { amuxHome, directoryFrom, processEnv, workingDirectory } from "./lib/fs/paths.ts";
import { estimateCost } from "./models/estimate.ts";
import { listModels, type ModelListing } from "./models/model-list.ts";
import { findConfigDirectories } from "./run/config-directories.ts";
import type { ConfigManager } from "./run/config.ts";
import { detectAgent, type InstalledAgent } from "./run/installed-agent.ts";
import type { ProfileManager } from "./run/profiles.ts";
import { RunClient } from "./run/run-client.ts";
import type { RunHandle } from "./run/run-handle.ts";
import { SessionManager } from "./history/manager.ts";
import { worktreesFor, type Worktrees } from "./changes/worktree/library.ts";
import { knownSessions } from "./client/session-list.ts";
import { costOfSession } from "./history/cost/session-cost.ts";
import { summaryOfSession } from "./history/session-summary.ts";

/** Run settings given here apply unless a profile or a run overrides them. */
export interface ClientOptions extends Pick<
  RunDefaults,
  "approvalMode" | "timeout" | "inactivityTimeout" | "retryPolicy" | "stream" | "gracePeriodMs"
> {
  /** Home, platform and variables to look for sessions in; this process's own by default. */
  env?: Partial<AgentEnv>;
  defaultAgent?: string;
  defaultModel?: string;
  /** Replaces amux's home. */
  configDir?: string;
  /** Replaces the nearest `.agent-mux` from a run's directory upwards. */
  projectConfigDir?: string;
}

export interface AgentMuxClient {
  /** Starts an agent with a prompt. Invalid options throw; later failures are in the events and the result. */
  run(options: RunOptions): RunHandle;
  /** Starts nothing; throws whatever would prevent such a run, and returns where it would run. */
  check(options: RunOptions): Promise<{ agent: string; cwd: string }>;
  /**
   * Copies a session up to a message (counted from 0; all of it by default), and returns what opens the copy in `cwd`. The
   * session itself is unchanged.
   */
  copyForFork(agent: string, sessionId: string, at: { cwd: string; message?: number }): Promise<ForkCopy>;
  sessions: SessionManager;
  /** What a session changed in its repository: from where it began to where it ended, or to the working tree. */
  changes(agent: string, sessionId: string, options?: ChangesOptions): Promise<SessionChanges>;
  /** Which message of which session wrote the lines of a file, a commit or a pull request, and how sure that is. */
  blame(question: BlameQuestion): Promise<BlameReport>;
  /** Settings and profiles for this process's working directory. */
  readonly config: ConfigManager;
  readonly profiles: ProfileManager;
  adapters: {
    list(): string[];
    get(name: string): Promise<AgentAdapter>;
    register(adapter: AgentAdapter): void;
    unregister(name: string): boolean;
    /** Whether the agent is installed, and what it supports. */
    detect(name: string): Promise<InstalledAgent>;
  };
  /** Git worktrees for sessions. */
  worktrees: Worktrees;
  models: {
    /** Every model with a known price. */
    list(): ModelListing[];
    /** Dollars for a request of this size; undefined without a known price. */
    estimateCost(agent: string, modelId: string, inputTokens: number, outputTokens: number): number | undefined;
  };
}

/** Does no I/O; stores are read on demand. */
export function createClient(options: ClientOptions = {}): AgentMuxClient {
  const env: AgentEnv = { ...processEnv(), ...options.env };
  const registry = new AgentRegistry();
  const { env: _, defaultAgent, defaultModel, configDir, projectConfigDir, ...defaults } = options;
  const sessions = new SessionManager(registry, env, {
    project: () => findConfigDirectories(env, workingDirectory(), optional("project", projectConfigDir)).project,
  });
  const copyForFork: AgentMuxClient["copyForFork"] = async (agent, sessionId, { cwd, message }) => {
    const { loadForkCopy, makeForkCopy } = await import("./agents/fork-copy.ts");
    const view = await sessions.open(agent, sessionId);
    const wish = { source: view.source, reader: view, scratch: join(amuxHome(env), "forks") };
    const copy = makeForkCopy(await registry.get(agent), env, { ...wish, ...optional("message", message) });
    return loadForkCopy(copy, cwd, { ...env.vars });
  };
  const runs = new RunClient(
    {
      env,
      home: amuxHome(env),
      adapter: (name) => registry.get(name),
      sessionCost: (agent, sessionId, since) => costOfSession(sessions, agent, sessionId, since),
      sessionModel: (agent, sessionId) =>
        summaryOfSession(sessions, agent, sessionId).then((summary) => summary?.model),
      sessionTurns: (agent, sessionId) =>
        summaryOfSession(sessions, agent, sessionId).then((summary) => summary?.turnCount),
      forkCopy: async ({ agent, cwd, options: { forkSessionId, forkMessage } }) => {
        const copy = await copyForFork(agent, forkSessionId!, { cwd, ...optional("message", forkMessage) });
        return { ...copy, file: copy.file! };
      },
      prices: () => sessions.prices,
    },
    {
      registry,
      defaults: { ...defaults, ...optional("agent", defaultAgent), ...optional("model", defaultModel) },
      ...optional("configDir", configDir),
      ...optional("projectConfigDir", projectConfigDir),
    },
  );
  return {
    run: (runOptions) => runs.run(runOptions),
    check: (runOptions) => runs.check(runOptions),
    copyForFork,
    sessions,
    changes: async (agent, sessionId, changesOptions) => {
      const { sessionChanges } = await import("./changes/diff/session-changes.ts");
      return sessionChanges({ sessions, env }, { session: { agent, sessionId } }, { hunks: true, ...changesOptions });
    },
    blame: async (question) => {
      const { blame, localSource } = await import("./changes/blame/blame.ts");
      return blame([localSource(sessions)], question, env);
    },
    get config() {
      return runs.settings().config;
    },
    get profiles() {
      return runs.settings().profiles;
    },
    adapters: {
      list: () => registry.names(),
      get: (name) => registry.get(name),
      register: (adapter) => registry.register(adapter),
      unregister: (name) => registry.unregister(name),
      detect: async (name) => detectAgent(await registry.get(name), env),
    },
    worktrees: worktreesFor(env, () => {
      const places = { home: amuxHome(env), socketDirectory: directoryFrom(env, "AMUX_SOCKET_DIR") };
      const running = knownSessions(places).filter(({ alive }) => alive);
      return running.map(({ meta }) => ({ ref: meta.id, name: meta.name ?? meta.slug ?? "", cwd: meta.cwd }));
    }),
    models: {
      list: () => listModels(sessions.prices),
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
  ByteSearch,
  ForkAt,
  History,
  Launch,
  MemoryNote,
  NativeSearchHit,
  OwnSearch,
  ReportedTotal,
  SessionHead,
  SessionReader,
  SessionSource,
  SessionTally,
  UsageRecord,
} from "./agents/adapter.ts";
export type { AddedWorktree } from "./changes/worktree/add-worktree.ts";
export type { FinishedWorktree, FinishWay } from "./changes/worktree/finish-worktree.ts";
export type { Worktrees } from "./changes/worktree/library.ts";
export type { Worktree, WorktreeList } from "./changes/worktree/list-worktrees.ts";
export type { Losses, RemovedWorktree } from "./changes/worktree/remove-worktree.ts";
export type { ForkCopy } from "./agents/fork-copy.ts";
export { readerOf } from "./agents/in-memory.ts";
export type {
  AgentStream,
  Credentials,
  PreparedRun,
  RunContext,
  RunRequest,
  RunSupport,
} from "./agents/run-support.ts";
export type { AgentEvent, AgentEventOf, AgentEventType, EventBody } from "./core/agent-event.ts";
export type { ApprovalMode, Attachment, McpServer, RetryPolicy, RunDefaults, RunOptions } from "./core/run-options.ts";
export type {
  ExitReason,
  InteractionAnswer,
  PendingInteraction,
  RunError,
  RunResult,
  RunState,
} from "./core/run-result.ts";
export type { ConfigEntry, ConfigManager } from "./run/config.ts";
export type { InstalledAgent } from "./run/installed-agent.ts";
export type { InteractionChannel } from "./run/interactions.ts";
export type { ProfileEntry, ProfileManager } from "./run/profiles.ts";
export type { QueueMoment, RunHandle } from "./run/run-handle.ts";
export type { ReadNotes } from "./agents/read-notes.ts";
export type { BuiltInAgentName } from "./agents/builtin.gen.ts";
export type {
  AppliedPrice,
  CostBreakdown,
  CostExplanation,
  CostKind,
  CostRecord,
  CostRequest,
  CostSummary,
  DroppedRequest,
  TokenCounts,
  TokenUsage,
} from "./core/cost.ts";
export type { BlameQuestion } from "./changes/blame/blame.ts";
export type { BlamedSession, BlameRange, BlameReport, BlameTarget } from "./changes/blame/blame-report.ts";
export type { ChangesOptions } from "./changes/diff/subject.ts";
export type {
  ChangedFile,
  ChangeHunk,
  ChangeLine,
  ChangeOrigin,
  ChangeRange,
  EvidenceTier,
  SessionChanges,
} from "./core/changes.ts";
export type { DiffOperation, SessionDiff, SessionReference } from "./core/diff.ts";
export { AgentMuxError, CapabilityError, ValidationError, type ErrorCode, type InvalidField } from "./core/errors.ts";
export type {
  AgentName,
  Session,
  SessionMessage,
  SessionSummary,
  SessionToolCall,
  SubagentTranscript,
} from "./core/session.ts";
export type { ExportFormat } from "./history/export/export.ts";
export type { ExportOptions } from "./history/export/options.ts";
export { SessionManager } from "./history/manager.ts";
export type { CostGroup } from "./history/cost/grouping.ts";
export type {
  CostAggregationOptions,
  CostExplanationOptions,
  SessionListOptions,
  SessionQuery,
} from "./history/options.ts";
export type { SearchMatch, SessionHit } from "./history/search/results.ts";
export type { SessionView } from "./history/session-view.ts";
