/**
 * V8's flags for a process that answers one question and ends: what it would optimise by default is over before that is of
 * use, and so is memory before it is worth collecting. They are those of the whole process, all its threads included. Code that
 * was compiled with other flags is not taken, Node's own neither: a thread is better started with the usual ones.
 */
import { compileLater, plainly, withPlainWasm } from "./compile-later.ts";
import { setV8Flags } from "./v8-flags.ts";

/** What takes long is WebAssembly; optimising the rest takes a quarter of a short answer. */
const TIMES_LATER = 15;

/** Later versions were not measured, and may not know the flags. */
const KNOWN_V8 = 12;

/**
 * Young objects get the room they need at once, and are collected by one thread: to share so little takes longer than to do it. Old ones
 * are collected when there are too many, and not in advance.
 */
const GC = {
  short: ["--no-incremental-marking", "--semi-space-growth-factor=4", "--no-parallel-scavenge"],
  usual: ["--incremental-marking", "--semi-space-growth-factor=2", "--parallel-scavenge"],
};

/** All of a module at once: what is compiled at its first call would be optimised after some more, whatever else is off. */
const LAZILY = "wasm-lazy-compilation";

interface ShortRun {
  collectsLate: boolean;
  isForLittle?: boolean;
}

/** Known to all bundles in the process, each of which has this module. */
const MARK = Symbol.for("amux.short-run");
const LITTLE = Symbol.for("amux.repeats-little");
const marks = globalThis as { [MARK]?: true; [LITTLE]?: true };

/** Code between what is interpreted and what is optimised, and expressions compiled twice, are for what is done more often. */
const SELDOM = ["--no-sparkplug", "--no-regexp-tier-up"];

/**
 * `collectsLate`: memory may grow by some ten megabytes before it is collected. `isForLittle`: most of what it does is done a few
 * hundred times.
 */
export function beShort({ collectsLate, isForLittle = false }: ShortRun): void {
  const flags = compileLater(TIMES_LATER);
  if (isForLittle && hasKnownV8()) {
    marks[LITTLE] = true;
    flags.push(...SELDOM);
  }
  if (collectsLate) {
    marks[MARK] = true;
    if (hasKnownV8()) flags.push(...GC.short);
  }
  setV8Flags(flags);
}

/** This process answers one question, and memory may grow meanwhile. */
export function isShort(): boolean {
  return marks[MARK] === true;
}

/** This process answers one question, for which it does most of what it does a few hundred times. */
export function repeatsLittle(): boolean {
  return marks[LITTLE] === true;
}

/** Sets the usual flags for as long as a thread starts, which is to call `beShort` itself. False when they are set anyway. */
export function beUsual(): boolean {
  if (marks[MARK] === undefined) return false;
  setV8Flags(compileLater(1));
  if (hasKnownV8()) setV8Flags(GC.usual);
  return true;
}

/** Does work that is soon done; where nobody has told this process to be short, as any other. */
export async function littleWork<T>(work: () => Promise<T>): Promise<T> {
  return marks[MARK] === undefined ? work() : withPlainWasm(work);
}

/** Compiles a module that a process which repeats little calls a few hundred times: to optimise it takes longer than all calls. */
export function compiledForLittle<T>(compile: () => T): T {
  return repeatsLittle() ? plainly(compile, [LAZILY]) : compile();
}

/** Code between what is interpreted and what is optimised, made at once. */
const OFTEN = {
  here: ["--sparkplug", "--no-baseline-batch-compilation"],
  usual: ["--no-sparkplug", "--baseline-batch-compilation"],
};

/** Does what even a process which repeats little does thousands of times. */
export function doneOften<T>(act: () => T): T {
  if (!repeatsLittle()) return act();
  setV8Flags(OFTEN.here);
  try {
    return act();
  } finally {
    setV8Flags(OFTEN.usual);
  }
}

function hasKnownV8(): boolean {
  return Number.parseInt(process.versions.v8, 10) < KNOWN_V8;
}
