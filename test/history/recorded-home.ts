/** A recorded home as amux reads it, in the manifests' terms. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CostKind, CostRecord, CostSummary } from "../../src/core/cost.ts";
import type { Session, SessionMessage, SessionSummary } from "../../src/core/session.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { warmJson } from "../support/warm-cli.ts";

export interface Tokens {
  /** Without cache reads and writes. */
  input: number;
  cached: number;
  cacheWrite: number;
  /** Includes reasoning. */
  output: number;
  thinking: number;
}

export const NO_TOKENS: Tokens = { input: 0, cached: 0, cacheWrite: 0, output: 0, thinking: 0 };

/** What a manifest says about a session. */
export interface Figures {
  title: string;
  cwd?: string;
  forkedFrom?: string;
  parentId?: string;
  archived: boolean;
  /** The user's prompts in this session, without inherited ones. */
  prompts: string[];
  inherited: string[];
  /** Answered user messages, inherited ones included. */
  turns: number;
  /** Assistant messages, one per model reply. */
  replies: number;
  tools: string[];
  results: number;
  /** Models of the replies, in order of first use. */
  models: string[];
  /** Usage of the session and its sub-agents. */
  tokens: Tokens;
  kind?: CostKind;
  /** Only where the agent wrote it; computed costs depend on the price table. */
  usd?: number;
}

export interface RecordedHome {
  rows: ReadonlyMap<string, SessionSummary>;
  report: CostSummary;
  figures: (sessionId: string) => Promise<Figures>;
  session: (sessionId: string) => Promise<Session>;
}

export function manifestOf(agent: string): unknown {
  return JSON.parse(readFileSync(join(fixturesOf(agent), "MANIFEST.json"), "utf8"));
}

export function fixturesOf(agent: string): string {
  return join(import.meta.dirname, "../../src/agents", agent, "fixtures");
}

/**
 * The list and the cost report come from the program; whole sessions come from the library, to save minutes. `saidTwice` shows
 * that both agree.
 */
export async function openRecordedHome(agent: string, home: string): Promise<RecordedHome> {
  const sessions = standingSessions(home);
  const [list, report] = await Promise.all([
    warmJson<SessionSummary[]>(["sessions", "list", agent], { home }),
    warmJson<CostSummary>(["cost", "report", "--agent", agent, "--group-by", "model"], { home }),
  ]);
  const rows = new Map(list.map((row) => [row.sessionId, row]));
  expect(rows.size).toBe(list.length);
  const read = new Map<string, Promise<Session>>();
  const session = (sessionId: string): Promise<Session> => {
    const whole = read.get(sessionId) ?? sessions.get(agent, sessionId);
    read.set(sessionId, whole);
    return whole;
  };
  return {
    rows,
    report,
    session,
    async figures(sessionId) {
      const row = rows.get(sessionId);
      if (row === undefined) throw new Error(`${agent} does not list ${sessionId}`);
      return figuresOf(row, await session(sessionId));
    },
  };
}

/** Compares the list with the full sessions; the program shows the longest one too. */
export async function saidTwice(agent: string, home: string, { rows, session }: RecordedHome): Promise<Said[]> {
  const inFull = [...rows.values()].map(async (row) => {
    const { messages, subagents: _, ...facts } = asJson(await session(row.sessionId));
    return { list: { ...row, messages: row.messageCount }, full: { ...facts, messages: messages.length } };
  });
  const [longest] = [...rows.values()].sort((a, b) => b.messageCount - a.messageCount);
  const shown = await warmJson<Session>(["sessions", "show", agent, longest!.sessionId], { home });
  return [...(await Promise.all(inFull)), { list: asJson(await session(longest!.sessionId)), full: shown }];
}

interface Said {
  list: unknown;
  full: unknown;
}

/** Every request is in the report once: the total equals the sum of the models and of all top-level sessions. */
export function expectReportAddsUp({ rows, report }: RecordedHome): void {
  const own = [...rows.values()].filter(({ parentId }) => parentId === undefined || !rows.has(parentId));
  const models = Object.values(report.breakdowns!);
  expect(tokensOf(report)).toEqual(addTokens(own.map(({ cost }) => tokensOf(cost))));
  expect(tokensOf(report)).toEqual(addTokens(models.map(tokensOf)));
  const nano = (usd: number): number => Math.round(usd * 1e9);
  const sum = (all: { totalUsd: number }[]): number => all.reduce((total, { totalUsd }) => total + nano(totalUsd), 0);
  expect(nano(report.totalUsd)).toBe(sum(own.flatMap(({ cost }) => cost ?? [])));
  expect(nano(report.totalUsd)).toBe(sum(models));
}

export function tokensOf(
  cost: Pick<CostRecord, "inputTokens" | "outputTokens" | "cachedTokens" | "cacheWriteTokens" | "thinkingTokens"> = {
    inputTokens: 0,
    outputTokens: 0,
  },
): Tokens {
  return {
    input: cost.inputTokens,
    cached: cost.cachedTokens ?? 0,
    cacheWrite: cost.cacheWriteTokens ?? 0,
    output: cost.outputTokens,
    thinking: cost.thinkingTokens ?? 0,
  };
}

export function addTokens(all: readonly Tokens[]): Tokens {
  const sum = { ...NO_TOKENS };
  for (const each of all) for (const key of Object.keys(sum) as (keyof Tokens)[]) sum[key] += each[key];
  return sum;
}

function figuresOf(row: SessionSummary, { messages }: Session): Figures {
  const own = messages.filter((message) => !message.inherited);
  const replies = own.filter((message) => message.role === "assistant");
  const models = [...new Set(replies.flatMap((reply) => reply.model ?? []))];
  if (models.length > 0) expect(models).toContain(row.model);
  return {
    title: row.title,
    ...(row.cwd === undefined ? {} : { cwd: row.cwd }),
    ...(row.forkedFrom === undefined ? {} : { forkedFrom: row.forkedFrom }),
    ...(row.parentId === undefined ? {} : { parentId: row.parentId }),
    archived: row.archived === true,
    prompts: promptsIn(own),
    inherited: promptsIn(messages.filter((message) => message.inherited)),
    turns: row.turnCount,
    replies: replies.length,
    tools: replies.flatMap((reply) => (reply.toolCalls ?? []).map((call) => call.toolName)),
    results: own.filter((message) => message.role === "tool").length,
    models,
    tokens: tokensOf(row.cost),
    ...(row.cost?.kind === undefined ? {} : { kind: row.cost.kind }),
    ...(row.cost?.kind === "reported" ? { usd: row.cost.totalUsd } : {}),
  };
}

function promptsIn(messages: SessionMessage[]): string[] {
  return messages.filter((message) => message.role === "user").map((message) => message.content);
}

function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** All were found: listed, or counted as a copy (fork, resume) of a listed one. */
export function expectFound(hits: readonly { sessionId: string; copies: number }[], expected: readonly string[]): void {
  for (const { sessionId } of hits) expect(expected).toContain(sessionId);
  expect(hits.reduce((sum, { copies }) => sum + 1 + copies, 0)).toBe(expected.length);
}
