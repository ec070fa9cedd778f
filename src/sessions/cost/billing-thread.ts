/**
 * One agent, one thread: while the sessions of the agent with the most of them are read here, those of another are billed in
 * a thread of their own. Sessions of one agent are not shared out: each thread would compile its scanner, and what calls that,
 * once more.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { NotesTaken } from "../../agents/read-notes.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import type { RowData } from "../../agents/usage-rows.ts";
import { fileStat } from "../../lib/directory.ts";
import { withOptimisedWasm } from "../../lib/optimised-wasm.ts";
import { optional } from "../../lib/optional.ts";
import { scannerModule } from "../../lib/scanner-module.ts";
import { beUsual } from "../../lib/short-run.ts";
import type { WasmModule } from "../../lib/wasm.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { Catalog } from "../catalog.ts";
import type { BilledSession } from "./ledger.ts";

/** Given to a thread when it is started. */
export interface BillOrder {
  agent: string;
  env: AgentEnv;
  /** In the order they are to be billed. */
  ids: readonly string[];
  /** What scans them, by its bytes. */
  scanners: ReadonlyMap<string, WasmModule>;
  /** Where the process has flags that the thread sets again: to be told that it has started. */
  started?: Int32Array;
}

export interface BillAnswer {
  rows: RowData;
  sessions: BilledSession[];
  empty: string[];
  notes: NotesTaken;
}

/** Where a thread finds its program, and what makes it worth its start. */
export interface Threads {
  program: string | undefined;
  cores: number;
  minBytes: number;
}

/** Takes longer to read than a thread takes to start, several times. */
const MIN_BYTES = 64 * 1024 * 1024;
/** Files whose sizes stand for those of all others. */
const SAMPLES = 16;

/** A thread that takes longer than this to start is not waited for. */
const MAX_START_MS = 200;

/**
 * Starts such threads where there is enough to be read and a core to do it. The catalogs wait for what comes of them. Scanners are
 * compiled before: flags of V8 that this takes are those of all threads.
 */
export async function billAside(
  catalogs: readonly Catalog[],
  prices: PriceTable,
  threads: Threads = { program: programPath(), cores: availableParallelism(), minBytes: MIN_BYTES },
): Promise<void> {
  const { program, cores, minBytes } = threads;
  const loads = catalogs
    .filter(({ adapter }) => adapter.history?.billInto !== undefined)
    .map((catalog) => loadOf(catalog, prices))
    .filter(({ bytes }) => bytes > 0);
  const scanners = await withOptimisedWasm(async () => scannersOf(loads));
  if (program === undefined || cores < 2) return;
  const [, ...others] = loads.filter(({ bytes }) => bytes >= minBytes).sort((a, b) => b.bytes - a.bytes);
  for (const { catalog, ids } of others.slice(0, cores - 1)) {
    if (await isBuiltIn(catalog)) catalog.awaitBills(ids, billed(program, orderOf(catalog, ids, scanners)));
  }
}

function scannersOf(loads: readonly Load[]): Map<string, WasmModule> {
  const wasms = loads.flatMap(({ catalog }) => catalog.adapter.history?.scannerWasm?.() ?? []);
  return new Map(wasms.map((wasm) => [wasm, scannerModule(wasm)]));
}

interface Load {
  catalog: Catalog;
  ids: string[];
  /** Roughly. */
  bytes: number;
}

function loadOf(catalog: Catalog, prices: PriceTable): Load {
  const ids = catalog.accounts(prices).missing();
  const step = Math.max(1, Math.floor(ids.length / SAMPLES));
  let [samples, bytes] = [0, 0];
  for (let index = 0; index < ids.length; index += step, samples++) {
    bytes += fileStat(catalog.source(ids[index]!)!.path)?.size ?? 0;
  }
  return { catalog, ids, bytes: samples === 0 ? 0 : (bytes / samples) * ids.length };
}

/** Adapters that were registered at run time are not known to a thread. */
async function isBuiltIn({ adapter }: Catalog): Promise<boolean> {
  const registry = new AgentRegistry();
  return registry.has(adapter.name) && (await registry.get(adapter.name)) === adapter;
}

function orderOf({ adapter, env }: Catalog, ids: readonly string[], scanners: BillOrder["scanners"]): BillOrder {
  const { home, platform, vars } = env;
  return { agent: adapter.name, env: { home, platform, vars: { ...vars } }, ids, scanners };
}

/** Undefined when the thread fails: then it is to be done here. */
async function billed(program: string, order: BillOrder): Promise<BillAnswer | undefined> {
  const started = beUsual() ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
  const threads = process.getBuiltinModule("node:worker_threads");
  return new Promise((resolve) => {
    const worker = new threads.Worker(program, {
      workerData: { ...order, ...optional("started", started) },
      execArgv: [],
      env: threads.SHARE_ENV,
      stdin: false,
    });
    // What ran here meanwhile would be optimised.
    if (started) Atomics.wait(started, 0, 0, MAX_START_MS);
    worker.once("message", (answer: BillAnswer) => {
      // Nobody waits for its end.
      worker.unref();
      resolve(answer);
    });
    worker.once("error", () => resolve(undefined));
    worker.once("exit", () => resolve(undefined));
  });
}

/** Beside the bundle, or above the chunk this ended up in; none in tests of the sources. */
function programPath(): string | undefined {
  return ["./billing-worker.cjs", "../billing-worker.cjs"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}
