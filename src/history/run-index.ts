/**
 * Reads the run index: one line per run of amux, with session, tags and cost. Tags are here because agents' files have no place
 * for them.
 */
import { statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { CostRecord } from "../core/cost.ts";
import { asArray, asNumber, asObject, asText, asTime, asTokens } from "../lib/json/fields.ts";
import { parseRecord, readLines } from "../lib/json/jsonl.ts";
import { isMissing } from "../lib/fs/directory.ts";
import { amuxHome, type PathEnv } from "../lib/fs/paths.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { readLabels, type SessionLabel, type SessionLabels } from "./session-labels.ts";

export interface Run {
  runId: string;
  agent: string;
  sessionId?: string;
  model?: string;
  at?: number;
  tags: string[];
  cost?: CostRecord;
}

export interface RunIndex {
  runs: Run[];
  /** Torn, foreign or newer lines. */
  skipped: number;
  of(agent: string, sessionId: string): Run[];
  /** The user's labels of sessions, by unified id. */
  labels: SessionLabels;
  labelOf(agent: string, sessionId: string): SessionLabel | undefined;
  /** Tags of its runs, and tags the user gave it. */
  tagsOf(agent: string, sessionId: string): readonly string[];
}

const VERSION = 1;

/** The index in amux's home and, if given, the one in the project's own directory (`.agent-mux`). */
export function readRunIndex(env: PathEnv, project?: string): RunIndex {
  const runs = new Map<string, Run>();
  let skipped = 0;
  const files = [join(amuxHome(env), "run-index.jsonl")];
  if (project !== undefined) files.push(join(project, "run-index.jsonl"));
  for (const file of files) {
    for (const run of keptRuns(file)) {
      if (run) runs.set(run.runId, run);
      else skipped++;
    }
  }
  return runIndexOf([...runs.values()], skipped, readLabels(env));
}

const NO_TAGS: readonly string[] = [];

export function runIndexOf(runs: Run[], skipped = 0, labels: SessionLabels = new Map()): RunIndex {
  const bySession = new Map<string, Run[]>();
  for (const run of runs) {
    if (run.sessionId === undefined) continue;
    const key = `${run.agent}:${run.sessionId}`;
    bySession.set(key, [...(bySession.get(key) ?? []), run]);
  }
  const of = (agent: string, sessionId: string): Run[] =>
    bySession.size === 0 ? [] : (bySession.get(`${agent}:${sessionId}`) ?? []);
  const labelOf = (agent: string, sessionId: string): SessionLabel | undefined =>
    labels.size === 0 ? undefined : labels.get(joinUnifiedId(agent, sessionId));
  const tagsOf = (agent: string, sessionId: string): readonly string[] => {
    if (bySession.size === 0 && labels.size === 0) return NO_TAGS;
    const given = labelOf(agent, sessionId)?.tags ?? [];
    return [...new Set([...of(agent, sessionId).flatMap((run) => run.tags), ...given])];
  };
  return { runs, skipped, of, labels, labelOf, tagsOf };
}

/** Cached while the file is unchanged: a search may ask many times a second. */
const kept = new Map<string, { stamp: string; runs: (Run | undefined)[] }>();

function keptRuns(file: string): (Run | undefined)[] {
  const stat = statOf(file);
  // No run was recorded there yet.
  if (stat === undefined) return [];
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const known = kept.get(file);
  if (known?.stamp === stamp) return known.runs;
  const runs = [...runsIn(file)];
  // Another line could still be written within the same tick of the file system's clock.
  if (Date.now() - stat.mtimeMs > SETTLED_MS) kept.set(file, { stamp, runs });
  return runs;
}

const SETTLED_MS = 1000;

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined;
  }
}

function* runsIn(file: string): Generator<Run | undefined> {
  try {
    for (const line of readLines(file)) yield toRun(parseRecord(line.bytes));
  } catch (error) {
    // No run was recorded there yet.
    if (!isMissing(error)) throw error;
  }
}

function toRun(record: Record<string, unknown> | undefined): Run | undefined {
  const runId = asText(record?.["runId"]);
  const agent = asText(record?.["agent"]);
  if (record === undefined || record["v"] !== VERSION || runId === undefined || agent === undefined) return undefined;
  const sessionId = asText(record["sessionId"]);
  const model = asText(record["model"]);
  const at = asTime(record["timestamp"]);
  const cost = toCost(record["cost"]);
  return {
    runId,
    agent,
    tags: (asArray(record["tags"]) ?? []).filter((tag): tag is string => typeof tag === "string"),
    ...(sessionId !== undefined ? { sessionId } : {}),
    ...(model !== undefined ? { model } : {}),
    ...(at !== undefined ? { at } : {}),
    ...(cost ? { cost } : {}),
  };
}

function toCost(value: unknown): CostRecord | undefined {
  const record = asObject(value);
  const totalUsd = asNumber(record?.["totalUsd"]);
  if (record === undefined || totalUsd === undefined || totalUsd < 0) return undefined;
  return {
    totalUsd,
    inputTokens: asTokens(record["inputTokens"]),
    outputTokens: asTokens(record["outputTokens"]),
    thinkingTokens: asTokens(record["thinkingTokens"]),
    cachedTokens: asTokens(record["cachedTokens"]),
    cacheWriteTokens: asTokens(record["cacheWriteTokens"]),
    cacheWrite1hTokens: asTokens(record["cacheWrite1hTokens"]),
    kind: "reported",
  };
}
