/**
 * Thousands of paths looked at in one go, and compared with how they were: for every question, and in a process that ends before
 * anything of it is optimised, so for each path no text, no object and no call is made but the system's own.
 */
import { isAscii } from "node:buffer";
import { PATH_SWEEP_WASM } from "./path-sweep.gen.ts";
import { INO, MTIME_NANOSECONDS, MTIME_SECONDS, rawValues, SIZE, type RawLook } from "./raw-stat.ts";
import { compiledForLittle, doneOften } from "./short-run.ts";
import { compileWasm, instantiateWasm } from "./wasm.ts";

/** Paths in UTF-8, each without what it shares with the beginning of the one before. */
export interface CutPaths {
  tails: Uint8Array;
  /** For each path: how many bytes it shares, and how many are its own. */
  cuts: Uint16Array;
}

export function cutPaths(paths: readonly string[]): CutPaths {
  const tails: Buffer[] = [];
  const cuts: number[] = [];
  let before = Buffer.alloc(0);
  for (const path of paths) {
    const bytes = Buffer.from(path);
    let shared = 0;
    while (shared < before.length && before[shared] === bytes[shared]) shared++;
    cuts.push(shared, bytes.length - shared);
    tails.push(bytes.subarray(shared));
    before = bytes;
  }
  return { tails: Buffer.concat(tails), cuts: Uint16Array.from(cuts) };
}

export function wholePaths({ tails, cuts }: CutPaths): string[] {
  // A letter for each byte, so that it can be cut anywhere.
  const letters = Buffer.from(tails.buffer, tails.byteOffset, tails.length).toString("latin1");
  const isPlain = isAscii(tails);
  const paths: string[] = [];
  let at = 0;
  let path = "";
  for (let cut = 0; cut < cuts.length; cut += 2) {
    const end = at + cuts[cut + 1]!;
    path = path.slice(0, cuts[cut]) + letters.slice(at, end);
    paths.push(isPlain ? path : Buffer.from(path, "latin1").toString("utf8"));
    at = end;
  }
  return paths;
}

/** So many are looked at before they are compared. */
const AT_ONCE = 512;
/** Of most paths, and of all that a system takes. */
const USUAL_LENGTH = 256;
const MOST_LENGTH = 8192;

/** What is compared, in WebAssembly's memory, by numbers; whatever lies below is not ours. */
const STAMPS = 128;
const STAMP_NUMBERS = 3;
const VALUES = STAMPS + STAMP_NUMBERS * AT_ONCE;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

interface Exports {
  room(end: number): void;
  firstChange(
    ...asked: [
      ...[from: number, end: number, values: number, stamps: number],
      ...[stride: number, ino: number, size: number, seconds: number, nanoseconds: number],
    ]
  ): number;
}

interface Comparing {
  stat: RawLook;
  /** How many numbers it gives. */
  stride: number;
  module: Exports;
  numbers: Float64Array;
}

let shared: Comparing | undefined;

function comparing(): Comparing {
  if (shared === undefined) {
    const { stat, stride } = rawValues();
    const module = instantiateWasm<Exports>(compiledForLittle(() => compileWasm(PATH_SWEEP_WASM)));
    module.room(NUMBER_BYTES * (VALUES + AT_ONCE * stride));
    shared = { stat, stride, module, numbers: new Float64Array(module.memory.buffer) };
  }
  return shared;
}

/** The code that is made for what is done often stays. */
let isLookCompiled = false;

export class PathSweep {
  /** How many have been looked at. */
  done = 0;
  readonly #cuts: Uint16Array;
  readonly #stamps: Float64Array;
  /** First the path that is looked at, behind it the tails of all. */
  readonly #bytes: Uint8Array;
  /** That path, up to a zero: short, as the whole of this is copied at each look. */
  #path: Uint8Array;
  /** Where the tail of the next one begins. */
  #at = MOST_LENGTH;

  /** `stamps`: of each path inode, size and time; an inode of -1: nothing was there. */
  constructor({ tails, cuts }: CutPaths, stamps: Float64Array) {
    this.#cuts = cuts;
    this.#stamps = stamps;
    this.#bytes = new Uint8Array(MOST_LENGTH + tails.length);
    this.#bytes.set(tails, MOST_LENGTH);
    this.#path = this.#bytes.subarray(0, USUAL_LENGTH);
  }

  get length(): number {
    return this.#cuts.length >> 1;
  }

  /** Looks at some more; tells which of them are not as they were, and whether they are gone. */
  goOn(): { number: number; isGone: boolean }[] {
    const first = this.done;
    const count = Math.min(AT_ONCE, this.length - first);
    const { module, numbers, stride } = comparing();
    numbers.set(this.#stamps.subarray(STAMP_NUMBERS * first, STAMP_NUMBERS * (first + count)), STAMPS);
    if (isLookCompiled) this.#look(count);
    else doneOften(() => this.#look(count));
    isLookCompiled = true;
    const changes: { number: number; isGone: boolean }[] = [];
    const next = (from: number): number =>
      module.firstChange(
        ...[from, count, NUMBER_BYTES * VALUES, NUMBER_BYTES * STAMPS],
        ...[stride, INO, SIZE, MTIME_SECONDS, MTIME_NANOSECONDS],
      );
    for (let place = next(0); place < count; place = next(place + 1))
      changes.push({ number: first + place, isGone: numbers[VALUES + stride * place + INO] === -1 });
    return changes;
  }

  #look(count: number): void {
    const { stat, numbers, stride } = comparing();
    const cuts = this.#cuts;
    const bytes = this.#bytes;
    let path = this.#path;
    let at = this.#at;
    const last = VALUES + stride * count;
    for (let cut = 2 * this.done, place = VALUES; place < last; cut += 2, place += stride) {
      const shared = cuts[cut]!;
      const end = shared + cuts[cut + 1]!;
      bytes.copyWithin(shared, at, (at += end - shared));
      if (end >= path.length) path = bytes.subarray(0, MOST_LENGTH);
      bytes[end] = 0;
      let values: Float64Array | undefined;
      try {
        values = stat(path, false, undefined, false);
      } catch {
        // Below a file there is nothing; what else is in the way stays in the way.
      }
      if (values === undefined) numbers[place + INO] = -1;
      else numbers.set(values, place);
    }
    this.#path = path;
    this.#at = at;
    this.done += count;
  }
}
