/**
 * Sums of long columns of numbers, and a search in them, in WebAssembly: a loop over a hundred thousand of them is most of a short
 * answer in JavaScript that V8 has not optimised, and is not worth optimising.
 */
import { COLUMNS_WASM } from "./columns.gen.ts";
import { compileWasm, instantiateWasm, type WasmMemory } from "./wasm.ts";

interface Exports {
  marks(): number;
  room(bytes: number): number;
  select(count: number): number;
  sum(start: number, count: number): number;
}

/** One for each value of a key's last 16 bits; 0 or 1. */
export const MARKS = 2 ** 16;
/** A remainder would be computed by division, for numbers of 32 bits even as fractions. */
export const MARKS_MASK = MARKS - 1;

/** So many numbers are worth the way there. */
export const LONG_COLUMN = 2048;

const PIECE_BYTES = 256 * 1024;

let shared: { module: Exports & { memory: WasmMemory }; marks: number; room: number } | undefined;

function columns(): NonNullable<typeof shared> {
  if (shared === undefined) {
    const module = instantiateWasm<Exports>(compileWasm(COLUMNS_WASM));
    shared = { module, marks: module.marks(), room: module.room(2 * PIECE_BYTES) };
  }
  return shared;
}

/** A sum with the numbers at some places added to it, one after the other. */
export function addColumn(sum: number, numbers: Float64Array, from: number, to: number): number {
  const { module, room } = columns();
  const memory = new Float64Array(module.memory.buffer);
  const step = PIECE_BYTES / Float64Array.BYTES_PER_ELEMENT;
  for (let at = from; at < to; at += step) {
    const piece = numbers.subarray(at, Math.min(at + step, to));
    memory.set(piece, room / Float64Array.BYTES_PER_ELEMENT);
    sum = module.sum(sum, piece.length);
  }
  return sum;
}

/** Places of keys whose last bits are marked. */
export function* markedKeys(keys: Uint32Array, from: number, to: number, marks: Uint8Array): Generator<number> {
  const { module, marks: marksAt, room } = columns();
  const memory = new Uint32Array(module.memory.buffer);
  const start = room / Uint32Array.BYTES_PER_ELEMENT;
  const step = PIECE_BYTES / Uint32Array.BYTES_PER_ELEMENT;
  for (let at = from; at < to; at += step) {
    const piece = keys.subarray(at, Math.min(at + step, to));
    new Uint8Array(module.memory.buffer).set(marks, marksAt);
    memory.set(piece, start);
    const count = module.select(piece.length);
    // A copy: others may use the memory before all of them are taken.
    for (const place of memory.slice(start + piece.length, start + piece.length + count)) yield at + place;
  }
}
