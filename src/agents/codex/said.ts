/** Prompts, outputs of tools and replies, told without parsing their records (wasm/codex-said.as.ts). */
import type { MessageRole } from "../../core/session.ts";
import type { ByteScanner, Needle } from "../../lib/byte-scan.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import type { WasmModule } from "../../lib/wasm.ts";
import { saidIn, type SaidExports, type SaidScan } from "../shared/said-scan.ts";
import { FROM_ITEMS } from "./rebuild.ts";
import { SILENT_TYPES } from "./record-types.ts";
import { CODEX_SAID_WASM } from "./said.gen.ts";

interface Exports extends SaidExports {
  setSilent(start: number, end: number): void;
  findSaid(from: number, end: number): number;
  said(line: number, end: number, place: number): number;
}

let compiled: WasmModule | undefined;

export function saidScan(scanner: ByteScanner, needle: Needle): SaidScan {
  compiled ??= compileOptimised(CODEX_SAID_WASM);
  const module = scanner.beside<Exports>(compiled);
  const { setSilent, findSaid, said } = module;
  const silent = Buffer.from(SILENT_TYPES.map((type) => `${type}\n`).join(""));
  const kept = scanner.keep(silent);
  setSilent(kept, kept + silent.length);
  const found = saidIn(scanner, needle, module);
  const base = scanner.addressOf(0);
  return {
    find(from, end) {
      const place = findSaid(base + from, base + end);
      return place < 0 ? place : place - base;
    },
    said([start], end, place, state) {
      const kind = said(base + start!, base + end, base + place);
      // Where items are prompts, an event only repeats one.
      if (kind === 0 || (kind === PROMPT_EVENT && (state & FROM_ITEMS) !== 0)) return undefined;
      return found(ROLES[kind]!);
    },
  };
}

const PROMPT_EVENT = 4;
const ROLES: readonly MessageRole[] = ["system", "user", "tool", "assistant", "user"];
