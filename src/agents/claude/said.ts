/** Prompts and outputs of tools, told without parsing their records (wasm/claude-said.as.ts). */
import type { ByteScanner } from "../../lib/byte-scan.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import type { WasmModule } from "../../lib/wasm.ts";
import { saidIn, type SaidScan } from "../shared/said-scan.ts";
import { CLAUDE_SAID_WASM } from "./said.gen.ts";

let compiled: WasmModule | undefined;

export function saidScan(scanner: ByteScanner): SaidScan {
  compiled ??= compileOptimised(CLAUDE_SAID_WASM);
  const { said } = scanner.beside<{ said(line: number, end: number): number }>(compiled);
  const found = saidIn(scanner);
  const base = scanner.addressOf(0);
  return {
    said(start, end) {
      const kind = said(base + start, base + end);
      return kind === 0 ? undefined : found(kind === OUTPUT ? "tool" : "user");
    },
  };
}

const OUTPUT = 2;
