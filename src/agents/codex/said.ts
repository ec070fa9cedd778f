/** Prompts and outputs of tools, told without parsing their records (wasm/codex-said.as.ts). */
import type { ByteScanner, Needle } from "../../lib/byte-scan.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import type { WasmModule } from "../../lib/wasm.ts";
import { saidIn, type SaidScan } from "../shared/said-scan.ts";
import { FROM_ITEMS } from "./rebuild.ts";
import { SILENT_TYPES } from "./record-types.ts";
import { CODEX_SAID_WASM } from "./said.gen.ts";

interface Exports {
  setSilent(start: number, end: number): void;
  findSaid(from: number, end: number, text: number, length: number, i: number, j: number): number;
  said(line: number, end: number): number;
}

let compiled: WasmModule | undefined;

export function saidScan(scanner: ByteScanner, needle: Needle): SaidScan {
  compiled ??= compileOptimised(CODEX_SAID_WASM);
  const { setSilent, findSaid, said } = scanner.beside<Exports>(compiled);
  const silent = Buffer.from(SILENT_TYPES.map((type) => `${type}\n`).join(""));
  const kept = scanner.keep(silent);
  setSilent(kept, kept + silent.length);
  const found = saidIn(scanner);
  const base = scanner.addressOf(0);
  const { address, length, rarest, second } = needle;
  return {
    find(from, end) {
      const place = findSaid(base + from, base + end, address, length, rarest, second);
      return place < 0 ? place : place - base;
    },
    said(start, end, state) {
      const kind = said(base + start, base + end);
      // Where items are prompts, an event only repeats one.
      if (kind === 0 || (kind === PROMPT_EVENT && (state & FROM_ITEMS) !== 0)) return undefined;
      return found(kind === OUTPUT ? "tool" : "user");
    },
  };
}

const OUTPUT = 2;
const PROMPT_EVENT = 3;
