/** An agent whose sessions are given as data, in its own home. */
import type {
  AgentAdapter,
  ReportedTotal,
  SessionHead,
  SessionSource,
  SessionTally,
  UsageRecord,
} from "../../src/agents/adapter.ts";
import { readerOf, tallyOf } from "../../src/agents/in-memory.ts";
import type { TokenCounts } from "../../src/core/cost.ts";
import { AgentMuxError } from "../../src/core/errors.ts";
import type { SessionMessage } from "../../src/core/session.ts";
import { createClient, type AgentMuxClient } from "../../src/index.ts";

export interface MadeSession {
  id: string;
  head?: Partial<SessionHead>;
  messages?: SessionMessage[];
  usage?: UsageRecord[];
  reportedTotals?: ReportedTotal[];
  /** The error that reading it throws. */
  broken?: string;
  /** The size in a listing. */
  bytes?: number;
  updatedMs?: number;
}

export function madeAgent(name: string, sessions: readonly MadeSession[]): AgentAdapter {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const headOf = ({ id, head }: MadeSession): SessionHead => ({ title: `title of ${id}`, ...head });
  return {
    name,
    displayName: name,
    command: name,
    capabilities: { canResume: false, canFork: false, sessionPersistence: "file" },
    history: {
      roots: (env) => [`${env.home}/${name}`],
      sessionDir: (env) => `${env.home}/${name}`,
      listSessions: (env) => sessions.map((session) => sourceOf(`${env.home}/${name}`, session)),
      summarize: (source) => headOf(byId.get(source.sessionId)!),
      read: (source) => {
        const session = byId.get(source.sessionId)!;
        if (session.broken !== undefined) throw new AgentMuxError("PARSE_ERROR", session.broken);
        const { messages = [], usage = [], reportedTotals } = session;
        return readerOf({
          head: headOf(session),
          messages,
          usage,
          ...(reportedTotals ? { reportedTotals } : {}),
          raw: session,
        });
      },
    },
  };
}

function sourceOf(directory: string, { id, bytes = 1, updatedMs = 1 }: MadeSession): SessionSource {
  const path = `${directory}/${id}`;
  return { sessionId: id, path, files: [{ path, size: bytes, mtimeMs: updatedMs }], updatedMs };
}

/** A client with this agent and the built-in ones, which find nothing in the home. */
export function clientOf(home: string, ...agents: AgentAdapter[]): AgentMuxClient {
  const client = createClient({ env: { home, platform: "linux", vars: {} } });
  for (const agent of agents) client.adapters.register(agent);
  return client;
}

export function talliesOf(...sessions: MadeSession[]): Map<string, SessionTally> {
  return new Map(
    sessions.map(({ id, head, messages = [], usage = [], reportedTotals }) => [
      id,
      tallyOf(
        readerOf({
          head: { title: id, ...head },
          messages,
          usage,
          ...(reportedTotals ? { reportedTotals } : {}),
          raw: undefined,
        }),
      ),
    ]),
  );
}

export function tokens(counts: Partial<TokenCounts> = {}): TokenCounts {
  return { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0, ...counts };
}

/** A request of 1000 uncached input tokens to a model with a constant price, unless changed. */
export function usage(key: string, fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    key,
    at: Date.parse("2026-06-01T12:00:00Z"),
    model: "made-model",
    tokens: tokens({ input: 1000 }),
    ...fields,
  };
}
