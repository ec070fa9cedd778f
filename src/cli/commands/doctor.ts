import { execFile } from "node:child_process";
import { closeSync, existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { CostKind } from "../../core/cost.ts";
import { createClient } from "../../index.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";
import { readReviews } from "../../changes/review/review-file.ts";
import type { Catalog } from "../../history/catalog.ts";
import { settle } from "../../history/cost/ledger.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { Command } from "../command.ts";
import { progressOn } from "../filters.ts";
import { bytes, count, counted } from "../format/figures.ts";
import type { Output } from "../output.ts";
import { openForReading, refusedFiles } from "../../lib/fs/foreign-file.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";

const command: Command = {
  name: "doctor",
  description:
    "Reads every session of every agent and reports what is installed, where it looked, what it found, what it skipped and why, unknown record types, and how costs were determined.",
  arguments: [{ name: "agent", description: "only this agent", optional: true, completes: "agents" }],
  options: [{ name: "verbose", short: "v", description: "name every skipped file" }],
  examples: [
    ["amux doctor", "all agents"],
    ["amux doctor claude -v", "one agent, with every skipped file"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const client = createClient();
    const [agent] = invocation.arguments;
    const catalogs = await client.sessions.catalogs(agent, { onProgress: progressOn(output) });
    const { skipped, runs } = client.sessions.runs;
    if (skipped > 0)
      output.note(
        `Run index: ${count(runs.length)} ${runs.length === 1 ? "run" : "runs"}; ${count(skipped)} ${skipped === 1 ? "line is" : "lines are"} torn or not ours.`,
      );
    const reports: AgentReport[] = [];
    for (const catalog of catalogs) reports.push(await examine(catalog, client.sessions.prices));
    const env = processEnv();
    await lookAtSettings(catalogs, env);
    lookAtOwnFiles(amuxHome(env));
    for (const { path, reason } of readReviews(amuxHome(env)).damaged)
      output.note(`Not a review: ${withoutControls(path)} (${oneLine(reason)}). It is left as it is.`);
    for (const refusal of refusedFiles()) output.note(`Not read: ${withoutControls(refusal)}`);
    if (output.json) return output.writeJson(reports);
    await output.page(
      reports.flatMap((report) => reportLines(report, output, invocation.flag("verbose"))).map((line) => `${line}\n`),
    );
  },
};

export default command;

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

interface AgentReport {
  agent: string;
  displayName: string;
  installed: boolean;
  program?: string;
  version?: string;
  stores: { path: string; exists: boolean }[];
  sessions: number;
  parsed: number;
  /** Files in the store without a conversation. */
  empty: number;
  bytes: number;
  skipped: { path: string; reason: string }[];
  skippedCount: number;
  damagedLines: number;
  damaged: Record<string, number>;
  unknownRecordTypes: Record<string, number>;
  requests: Record<CostKind, number>;
  duplicates: number;
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
  const version = program === undefined ? undefined : await versionOf(program);
  return {
    agent: adapter.name,
    displayName: adapter.displayName,
    installed: program !== undefined,
    ...(program !== undefined ? { program } : {}),
    ...(version !== undefined ? { version } : {}),
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

/** Agents start slowly, but one that has not answered by then hangs. */
const VERSION_TIMEOUT_MS = 10_000;

async function versionOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return oneLine(stdout).slice(0, 60);
  } catch {
    // Installed but does not print its version; shown without one.
    return undefined;
  }
}

const SHOWN_WITHOUT_VERBOSE = 5;

function reportLines(report: AgentReport, output: Output, verbose: boolean): string[] {
  const found = report.stores.filter((store) => store.exists).map((store) => store.path);
  const lines = [
    output.style("bold", `${report.displayName} (${report.agent})`),
    `  program    ${report.installed ? `${report.program}${report.version === undefined ? "" : `  ${report.version}`}` : output.style("dim", "not on the PATH")}`,
    `  store      ${found.length > 0 ? found.join(", ") : output.style("dim", `none at ${report.stores.map((store) => store.path).join(", ")}`)}`,
  ];
  if (found.length > 0) {
    const empty = report.empty > 0 ? `, ${count(report.empty)} without a conversation` : "";
    lines.push(
      `  sessions   ${count(report.sessions)} found, ${count(report.parsed)} read, ${bytes(report.bytes)}${empty}`,
    );
    lines.push(`  requests   ${requestText(report)}`);
  }
  if (report.skippedCount > 0) {
    lines.push(output.style("yellow", `  skipped    ${count(report.skippedCount)}`));
    const shown = verbose ? report.skipped : report.skipped.slice(0, SHOWN_WITHOUT_VERBOSE);
    for (const { path, reason } of shown)
      lines.push(`             ${withoutControls(path)}: ${withoutControls(reason)}`);
    if (shown.length < report.skippedCount)
      lines.push(output.style("dim", `             … ${report.skippedCount - shown.length} more (-v)`));
  }
  if (report.damagedLines > 0) {
    lines.push(
      output.style(
        "yellow",
        `  damaged    ${count(report.damagedLines)} lines in ${count(Object.keys(report.damaged).length)} files`,
      ),
    );
    if (verbose)
      for (const [path, number] of Object.entries(report.damaged))
        lines.push(`             ${withoutControls(path)}: ${number}`);
  }
  const unknown = Object.entries(report.unknownRecordTypes).map(([type, number]) => `${oneLine(type)} ×${number}`);
  if (unknown.length > 0) lines.push(output.style("yellow", `  unknown    record types: ${unknown.join(", ")}`));
  return [...lines, ""];
}

function requestText({ requests, duplicates }: AgentReport): string {
  const parts = (Object.entries(requests) as [CostKind, number][])
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => `${count(number)} ${kind}`);
  if (duplicates > 0) parts.push(`${counted(duplicates, "copy", "copies")} not counted again`);
  return parts.length > 0 ? parts.join(", ") : "none";
}
