/**
 * A checksum of some megabytes, in a tenth of the time it takes to load what Node has for it. Not against anybody who means
 * harm: against what a full disk, a damaged one or a killed process leaves behind.
 */
import { CHECKSUM_WASM } from "./checksum.gen.ts";
import { compileWasm, instantiateWasm, type WasmMemory } from "./wasm.ts";

interface Exports {
  room(bytes: number): number;
  start(length: number): void;
  take(length: number): void;
  result(): number;
}

/** A multiple of 16. */
const PIECE_BYTES = 256 * 1024;
const PADDING = new Uint8Array(16);

let shared: { module: Exports & { memory: WasmMemory }; address: number } | undefined;

/** 32 bits. */
export function checksumOf(bytes: Uint8Array): number {
  if (shared === undefined) {
    const made = instantiateWasm<Exports>(compileWasm(CHECKSUM_WASM));
    shared = { module: made, address: made.room(PIECE_BYTES) };
  }
  const { module, address } = shared;
  const memory = new Uint8Array(module.memory.buffer);
  module.start(bytes.length);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    memory.set(piece, address);
    memory.set(PADDING, address + piece.length);
    module.take(piece.length);
  }
  return module.result() >>> 0;
}
