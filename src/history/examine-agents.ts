/** Reads every session of every agent: what is installed, what was found where, what was skipped and why. */
import { closeSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEnv } from "../agents/adapter.ts";
import type { AgentReport, Examination } from "../core/agent-report.ts";
import type { CostKind } from "../core/cost.ts";
import { openForReading, refusedFiles } from "../lib/fs/foreign-file.ts";
import { amuxHome } from "../lib/fs/paths.ts";
import { readAt } from "../lib/json/jsonl.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { printedVersion } from "../lib/process/version.ts";
import { oneLine } from "../lib/text/text.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { Catalog } from "./catalog.ts";
import { settle } from "./cost/ledger.ts";
import type { SessionManager } from "./manager.ts";
import type { OnProgress } from "./progress.ts";

export async function examineAgents(
  manager: Pick<SessionManager, "catalogs" | "prices">,
  env: AgentEnv,
  { agent, onProgress }: { agent?: string; onProgress: OnProgress },
): Promise<Examination> {
  const catalogs = await manager.catalogs(agent, { onProgress });
  const reports: AgentReport[] = [];
  for (const catalog of catalogs) reports.push(await examine(catalog, manager.prices));
  await lookAtSettings(catalogs, env);
  lookAtOwnFiles(amuxHome(env));
  return { reports, refused: [...refusedFiles()] };
}

/** amux's own files that other commands read; report here if something else is in their place. */
const OWN_FILES = [
  ...["config.json", "peers.json", "prices.json", "attention.json", "trust.json", "snoozed.json", "tasks.json"],
  ...["redact.json", "projects.json", "archive-address", "archive-schedule.json", "index.db"],
];

function lookAtOwnFiles(home: string): void {
  for (const name of OWN_FILES) look(join(home, name));
}

/** Agents' settings matter for hooks. */
async function lookAtSettings(catalogs: readonly Catalog[], env: AgentEnv): Promise<void> {
  for (const { adapter } of catalogs)
    if (adapter.hooks !== undefined) look(adapter.hooks.target(env, { node: "", script: "" }, undefined).path);
}

/** Checks that it is a regular file; other failures are reported by the code that reads it. */
function look(path: string): void {
  try {
    closeSync(openForReading(path));
  } catch {
    // Already noted as refused.
  }
}

async function examine(catalog: Catalog, prices: PriceTable): Promise<AgentReport> {
  const { adapter, env, notes } = catalog;
  const program = findOnPath(adapter.command, env.vars);
  const entries = await catalog.entries();
  const tallies = await catalog.tallies(entries.keys());
  await readRest(catalog, entries);
  const ledger = settle(adapter.name, tallies, prices);
  const requests: Record<CostKind, number> = {
    reported: 0,
    computed: 0,
    "lower-bound": 0,
    unpriced: 0,
    unknown: ledger.unknownSessions.length,
  };
  for (const entry of ledger.entries) requests[entry.kind] += entry.requests;
  const files = new Map(
    [...entries.values()].flatMap(({ source }) => source.files.map((file) => [file.path, file.size] as const)),
  );
  const printed = program === undefined ? undefined : await printedVersion(program);
  return {
    agent: adapter.name,
    displayName: adapter.displayName,
    installed: program !== undefined,
    ...(program !== undefined ? { program } : {}),
    ...(printed !== undefined ? { version: oneLine(printed.stdout).slice(0, 60) } : {}),
    stores: (adapter.history?.roots(env) ?? []).map((path) => ({ path, exists: existsSync(path) })),
    sessions: entries.size,
    parsed: tallies.size,
    empty: catalog.size - entries.size,
    bytes: [...files.values()].reduce((sum, size) => sum + size, 0),
    skipped: notes.skipped,
    skippedCount: notes.skippedCount,
    damagedLines: notes.damagedLines,
    damaged: Object.fromEntries(notes.damaged),
    unknownRecordTypes: Object.fromEntries(notes.unknownTypes),
    requests,
    duplicates: ledger.dropped.length,
  };
}

/** Reads files without a conversation too: damage may be the reason. */
async function readRest(catalog: Catalog, entries: ReadonlyMap<string, unknown>): Promise<void> {
  const told = new Set(catalog.notes.skipped.map(({ path }) => path));
  const rest = catalog.ids().filter((id) => !entries.has(id) && !told.has(catalog.source(id)!.path));
  await catalog.readAll(rest);
  for (const id of rest) {
    const { path } = catalog.source(id)!;
    if (isNulOnly(path)) catalog.notes.skip(path, "contains only NUL bytes: its content was lost in a crash");
  }
}

/** What some file systems leave of a file after a crash. */
function isNulOnly(path: string): boolean {
  try {
    const fd = openForReading(path);
    try {
      const head = readAt(fd, 0, NUL_PROBE_BYTES);
      return head.length > 0 && head.every((byte) => byte === 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Reading it has reported the reason.
    return false;
  }
}

const NUL_PROBE_BYTES = 4096;
