/** Prompts, outputs of tools and replies, told without parsing their records (wasm/claude-said.as.ts). */
import type { MessageRole } from "../../core/session.ts";
import type { ByteScanner, Needle } from "../../lib/byte-scan.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import type { WasmModule } from "../../lib/wasm.ts";
import { saidIn, type SaidExports, type SaidScan } from "../shared/said-scan.ts";
import { CLAUDE_SAID_WASM } from "./said.gen.ts";

interface Exports extends SaidExports {
  forget(place: number): void;
  take(line: number, end: number, isFirst: number): number;
}

let compiled: WasmModule | undefined;

export function saidScan(scanner: ByteScanner, needle: Needle): SaidScan {
  compiled ??= compileOptimised(CLAUDE_SAID_WASM);
  const module = scanner.beside<Exports>(compiled);
  const { forget, take } = module;
  const found = saidIn(scanner, needle, module);
  const base = scanner.addressOf(0);
  return {
    said(starts, end, place) {
      let kind = 0;
      forget(base + place);
      for (let number = 0; number < starts.length; number++) {
        kind = take(base + starts[number]!, base + end, number === 0 ? 1 : 0);
        if (kind === 0 || (kind !== REPLY && starts.length > 1)) return undefined;
      }
      return found(ROLES[kind]!);
    },
  };
}

const REPLY = 3;
const ROLES: readonly MessageRole[] = ["system", "user", "tool", "assistant"];
