/** WebAssembly, as far as it is used here; the types of Node leave it out. */

interface WasmApi {
  Module: new (bytes: Uint8Array) => WasmModule;
  Instance: new (module: WasmModule, imports: object) => { exports: unknown };
}

/** Compiled code; opaque. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmApi };

export function compileWasm(base64: string): WasmModule {
  return new WebAssembly.Module(Buffer.from(base64, "base64"));
}

/** A new instance. The caller knows what it exports, and what of the caller's it calls. */
export function instantiateWasm<Exports>(module: WasmModule, calls: object = {}): Exports & { memory: WasmMemory } {
  const abort = (): never => {
    throw new Error("The WebAssembly module failed.");
  };
  return new WebAssembly.Instance(module, { env: { abort, ...calls } }).exports as Exports & { memory: WasmMemory };
}
