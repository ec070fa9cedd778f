/** Appends to the run index: one complete line per run, even with concurrent writers. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CostRecord } from "../core/cost.ts";
import type { RunResult } from "../core/run-result.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { acquireLock, type ProcessLock } from "../lib/process/process-lock.ts";

const VERSION = 1;
/** The system never splits a smaller write, so readers without the lock see whole lines. */
const MAX_LINE_BYTES = 512;
const LOCK_WAIT_MS = 5000;
const LOCK_POLL_MS = 10;

export interface RunRecord extends Pick<RunResult, "runId" | "agent" | "model" | "sessionId" | "cost" | "tags"> {
  /** The caller's own project id. */
  projectId?: string | undefined;
}

/** `home` is amux's directory. */
export async function appendRun(home: string, run: RunRecord, at: Date = new Date()): Promise<void> {
  ensurePrivateDirectory(home);
  const path = join(home, "run-index.jsonl");
  const lock = await lockWithin(`${path}.lock`);
  try {
    appendLine(path, lineOf(run, at));
  } finally {
    lock?.release();
  }
}

/** Without waiting, for a process that is about to exit. */
export function appendRunNow(home: string, run: RunRecord, at: Date = new Date()): void {
  ensurePrivateDirectory(home);
  appendLine(join(home, "run-index.jsonl"), lineOf(run, at));
}

/** After the timeout the line is written anyway: one append is atomic even without the lock, a lost run is not recoverable. */
async function lockWithin(path: string): Promise<ProcessLock | undefined> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const lock = acquireLock(path);
    if (lock || performance.now() > deadline) return lock;
    await sleep(LOCK_POLL_MS);
  }
}

function appendLine(path: string, line: string): void {
  const fd = openSync(path, "a+", 0o600);
  try {
    writeSync(fd, endsInMidLine(fd) ? `\n${line}` : line);
  } finally {
    closeSync(fd);
  }
}

/** A killed writer may have left half a line, which ours must not complete. */
function endsInMidLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
}

function lineOf({ runId, agent, model, sessionId, cost, tags, projectId }: RunRecord, at: Date): string {
  const base = {
    v: VERSION,
    runId,
    agent,
    ...(model === null ? {} : { model }),
    ...(sessionId === null ? {} : { sessionId }),
    timestamp: at.toISOString(),
    ...(projectId === undefined ? {} : { projectId }),
  };
  // Unknown figures are omitted; if the line is too long, the least important fields go first.
  const candidates =
    cost && cost.kind !== "unknown" && cost.kind !== "unpriced"
      ? [
          { ...base, cost: shortCost(cost), tags },
          { ...base, cost: minimalCost(cost), tags },
        ]
      : [{ ...base, tags }];
  const lines = candidates.map((candidate) => `${JSON.stringify(candidate)}\n`);
  return lines.find((line) => Buffer.byteLength(line) <= MAX_LINE_BYTES) ?? lines.at(-1)!;
}

function shortCost(cost: CostRecord): Partial<CostRecord> {
  const { subagents: _, ...fields } = cost;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== 0 && value !== undefined)
      .concat([["totalUsd", cost.totalUsd]]),
  );
}

function minimalCost({ totalUsd, inputTokens, outputTokens }: CostRecord): Partial<CostRecord> {
  return { totalUsd, inputTokens, outputTokens };
}
