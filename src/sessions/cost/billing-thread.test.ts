/** A report is the same whether an agent's sessions are billed here, in a thread, or here because the thread has failed. */
import { build } from "esbuild";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, beforeAll, vi } from "vitest";
import { homeAt, tempHome } from "../../../test/support/temp-home.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import type { CostSummary } from "../../core/cost.ts";
import { createPriceTable } from "../../models/price-table.ts";
import { Catalog } from "../catalog.ts";
import { runIndexOf } from "../run-index.ts";
import { billAside } from "./billing-thread.ts";
import { costReport } from "./report.ts";

const AGENTS = join(import.meta.dirname, "../../agents");
const ANSWERS_NOTHING = `
  const { parentPort } = require("node:worker_threads");
  const names = ["at", "input", "cached", "cacheWrite", "cacheWrite1h", "output", "thinking", "webSearches", "reported"];
  const words = ["model", "cwd", "branch", "subagent", "modifiers", "keyNumber", "keyStart", "keyLength"];
  const columns = { flags: new Uint8Array(256) };
  for (const name of names) columns[name] = new Float64Array(256);
  for (const name of words) columns[name] = new Uint32Array(256);
  const notes = { skipped: [], skippedCount: 0, unknownTypes: new Map(), damaged: new Map(), damagedLines: 0 };
  const rows = { length: 0, texts: [], columns, keys: new Uint8Array(0) };
  parentPort.postMessage({ rows, sessions: [], empty: [], notes });
`;

/** Before a program: it fails where scanners of both agents did not come compiled, or are compiled again. */
const NEEDS_SCANNERS = `
  {
    const { scanners } = require("node:worker_threads").workerData;
    const Compiled = globalThis.WebAssembly.Module;
    const modules = [...scanners.values()];
    if (modules.length !== 2 || !modules.every((module) => module instanceof Compiled)) throw new Error("not compiled");
    globalThis.WebAssembly.Module = class {
      constructor(bytes) {
        if (scanners.has(Buffer.from(bytes).toString("base64"))) throw new Error("compiled again");
        return new Compiled(bytes);
      }
    };
  }
`;

const prices = createPriceTable();
let built: string;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "billing-worker.ts")],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    external: ["@photostructure/sqlite"],
    logLevel: "error",
  });
  built = outputFiles[0]!.text;
});

interface Told {
  summary: CostSummary;
  damagedLines: number;
  skipped: string[];
}

/** What is told of recorded sessions of two agents, one of them with damage, with a thread that runs this program. */
async function told(home: string, program?: string): Promise<Told> {
  const registry = new AgentRegistry();
  const env = { home, platform: process.platform, vars: {} };
  const catalogs: Catalog[] = [];
  for (const name of registry.names()) catalogs.push(new Catalog(await registry.get(name), env, { namesOnly: true }));
  await billAside(catalogs, prices, { program, cores: 2, minBytes: 1 });
  const report = await costReport(catalogs, { groupBy: ["agent", "session"] }, { prices, runs: runIndexOf([]) });
  const summary = report.build();
  return {
    summary,
    damagedLines: catalogs.reduce((sum, { notes }) => sum + notes.damagedLines, 0),
    skipped: catalogs.flatMap(({ notes }) => notes.skipped.map(({ path, reason }) => `${path}: ${reason}`)),
  };
}

function recordedHome(): string {
  const { path } = tempHome(join(AGENTS, "claude/fixtures/home"));
  cpSync(join(AGENTS, "codex/fixtures/home"), path, { recursive: true });
  const damaged = "rollout-2026-05-01T10-00-00-aaaaaaaa-2222-4333-8444-555555555555.jsonl";
  homeAt(path).write(`.codex/sessions/2026/05/01/${damaged}`, "no record\n");
  return path;
}

describe("sessions that are billed in a thread", () => {
  it("cost the same, and have the same said about them", async () => {
    const home = recordedHome();
    const expected = await told(home);
    expect(expected.summary.totalUsd).toBeGreaterThan(0);
    expect(Object.keys(expected.summary.breakdowns ?? {})).toHaveLength(2);
    expect(expected.skipped.length).toBeGreaterThan(0);
    expect(await told(home, programOf(home, built))).toEqual(expected);
  });

  it("are taken as the thread gives them", async () => {
    const home = recordedHome();
    const { summary } = await told(home, programOf(home, ANSWERS_NOTHING));
    expect(Object.keys(summary.breakdowns ?? {})).toHaveLength(1);
  });

  it("are scanned by what was compiled before the thread was started", async () => {
    const home = recordedHome();
    const awaited = vi.spyOn(Catalog.prototype, "awaitBills");
    expect(await told(home, programOf(home, `${NEEDS_SCANNERS}${built}`))).toEqual(await told(home));
    const answers = await Promise.all(awaited.mock.calls.map(([, bills]) => bills));
    awaited.mockRestore();
    expect(answers).toHaveLength(1);
    expect(answers[0]?.sessions.length).toBeGreaterThan(0);
  });

  it.each([
    ["fails", "throw new Error('of no use')"],
    ["ends without an answer", "process.exit(0)"],
    ["cannot be read", "this is no program"],
  ])("are billed here when it %s", async (_, text) => {
    const home = recordedHome();
    expect(await told(home, programOf(home, text))).toEqual(await told(home));
  });
});

function programOf(home: string, text: string): string {
  return homeAt(home).write("thread.cjs", text);
}
