import type { WasmMemory } from "./wasm.ts";

/** What every module exports that looks at JSON lines (wasm/json). */
export interface JsonLinesExports {
  memory: WasmMemory;
  configure(itemFields: number): void;
  addPath(parent: number, address: number, length: number, node: number): void;
  feed(from: number, to: number, final: number): void;
  unread(): number;
  allocate(bytes: number): number;
  forgetIds(slots: number): void;
  idAt(address: number, length: number): number;
  wordOf(address: number, length: number): number;
  wordPlace(word: number): number;
}
