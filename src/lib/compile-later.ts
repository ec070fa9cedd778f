/**
 * V8's flags for optimising code so many times later than it does by default, or sooner. The names are V8's own business and change
 * with it: a flag that a version does not know ends a process that is started with it.
 */

import { setV8Flags } from "./v8-flags.ts";

/** V8's defaults: the bytecode a function runs before it is looked at (Node 20), or the calls (from Node 22 on). */
const BUDGET = 67_584;
const CALLS = { maglev: 400, turbofan: 3000, osr: 500 };

/** How much later in a runner's process at first: its start does everything once. */
export const RUNNER_STARTS_LATER = 4;

export function compileLater(times: number, v8 = process.versions.v8): string[] {
  if (Number.parseInt(v8, 10) < 12) return [`--interrupt-budget=${Math.round(BUDGET * times)}`];
  return Object.entries(CALLS).map(([tier, calls]) => `--invocation-count-for-${tier}=${Math.round(calls * times)}`);
}

/**
 * Does some work with WebAssembly as it is compiled first. To optimise it takes as long as some answers; what was compiled
 * before is not touched. For a program's own process only: the flags are those of all that runs in it meanwhile.
 */
export async function withPlainWasm<T>(work: () => Promise<T>, v8 = process.versions.v8): Promise<T> {
  // Later versions were not measured, and may not know the flags.
  if (Number.parseInt(v8, 10) >= 12) return work();
  setFlags(WASM_OPTIMISING, false);
  isPlain = true;
  try {
    return await work();
  } finally {
    isPlain = false;
    setFlags(WASM_OPTIMISING, true);
  }
}

/** Whether such work is being done. */
export function isWasmPlain(): boolean {
  return isPlain;
}

/** The flags of such work for as long as something is done at once, and others that are off meanwhile. */
export function plainly<T>(act: () => T, off: readonly string[] = []): T {
  const flags = isPlain ? off : [...WASM_OPTIMISING, ...off];
  setFlags(flags, false);
  try {
    return act();
  } finally {
    setFlags(flags, true);
  }
}

/** Does something at once with the usual flags, whatever work is being done. */
export function asUsual<T>(act: () => T): T {
  if (!isPlain) return act();
  setFlags(WASM_OPTIMISING, true);
  try {
    return act();
  } finally {
    setFlags(WASM_OPTIMISING, false);
  }
}

let isPlain = false;
const WASM_OPTIMISING = ["wasm-tier-up", "wasm-dynamic-tiering"];

/** Set back afterwards: compiled code that is kept is only good for a process with the same flags. */
function setFlags(flags: readonly string[], isOn: boolean): void {
  setV8Flags(flags.map((flag) => `--${isOn ? "" : "no-"}${flag}`));
}
