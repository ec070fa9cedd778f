/** Modules that scan lines, each compiled once; threads share it, and with it the code that V8 has optimised. */
import { compileOptimised } from "./optimised-wasm.ts";
import type { WasmModule } from "./wasm.ts";

const compiled = new Map<string, WasmModule>();

/** `wasm`: its bytes, in base64. */
export function scannerModule(wasm: string): WasmModule {
  const module = compiled.get(wasm) ?? compileOptimised(wasm);
  compiled.set(wasm, module);
  return module;
}

/** Those that another thread has compiled, by their bytes. */
export function takeScannerModules(modules: ReadonlyMap<string, WasmModule>): void {
  for (const [wasm, module] of modules) compiled.set(wasm, module);
}
