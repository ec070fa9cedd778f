/**
 * A fuzzer. Guided by coverage, it keeps inputs that reach new code and mutates them further. Inputs run in batches, because
 * coverage is slow to read.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Coverage } from "./coverage.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import type { Target } from "./target.ts";

/** Inputs that once broke something. They always run first. */
const REGRESSIONS = fileURLToPath(new URL("regressions", import.meta.url));

const BATCH = 64;
const MAX_KEPT = 400;
/** An input that takes more CPU time counts as a denial of service. */
const TOO_SLOW_MS = 4000;

export interface FuzzResult {
  target: string;
  inputs: number;
  kept: number;
  blocks: number;
  seconds: number;
  crashes: string[];
}

/** Guidance takes longer than a few hundred inputs are worth. */
export async function fuzz(target: Target, inputs: number, seed: number, isGuided: boolean): Promise<FuzzResult> {
  const began = Date.now();
  const coverage = isGuided ? new Coverage() : undefined;
  const result = { target: target.name, inputs: 0, crashes: [] as string[] };
  const attempt = async (input: Buffer): Promise<void> => {
    result.inputs++;
    const problem = await problemWith(target, input);
    if (problem !== undefined && result.crashes.length < 10) result.crashes.push(`${saved(target, input)}\n${problem}`);
  };
  try {
    for (const input of regressionsOf(target)) await attempt(input);
    const kept = [...target.seeds()];
    // At most half as they are: other tests read most of them, too.
    for (const input of kept.slice(0, Math.ceil(inputs / 2))) await attempt(input);
    coverage?.look();
    const tokens = (target.tokens ?? []).map((token) => Buffer.from(token));
    const random = new Random(seed);
    while (result.inputs < inputs) {
      const batch = Array.from({ length: Math.min(BATCH, inputs - result.inputs) }, () =>
        mutate(random.pick(kept), random, tokens, kept),
      );
      for (const input of batch) await attempt(input);
      const fresh = coverage?.look();
      if (coverage && fresh && fresh.size > 0 && kept.length < MAX_KEPT)
        kept.push(await finderOf(fresh, batch, target, coverage));
    }
    return { ...result, kept: kept.length, blocks: coverage?.blocks ?? 0, seconds: (Date.now() - began) / 1000 };
  } finally {
    coverage?.end();
  }
}

/** The input that reached these blocks, found by bisection. */
async function finderOf(
  blocks: ReadonlySet<string>,
  batch: readonly Buffer[],
  target: Target,
  coverage: Coverage,
): Promise<Buffer> {
  let candidates = batch;
  while (candidates.length > 1) {
    const half = candidates.slice(0, candidates.length >> 1);
    const isAmong = await coverage.reaches(blocks, async () => {
      for (const input of half) await problemWith(target, input);
    });
    candidates = isAmong ? half : candidates.slice(half.length);
  }
  return candidates[0]!;
}

async function problemWith(target: Target, input: Buffer): Promise<string | undefined> {
  const before = process.cpuUsage();
  try {
    await target.run(Buffer.from(input));
  } catch (error) {
    if (target.expects?.(error) !== true)
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  return ms > TOO_SLOW_MS ? `It took ${Math.round(ms)} ms.` : undefined;
}

function regressionsOf({ name }: Target): Buffer[] {
  const directory = join(REGRESSIONS, name);
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((file) => readFileSync(join(directory, file)));
}

/** Kept as a regression fixture, named by its content. */
function saved({ name }: Target, input: Buffer): string {
  const directory = join(REGRESSIONS, name);
  const path = join(directory, createHash("sha256").update(input).digest("hex").slice(0, 16));
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, input);
  return path;
}
