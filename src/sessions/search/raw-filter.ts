/** Whether words can be in texts as they lie in a file: what cannot hold any of them is not parsed for showing it. */
import type { RawTexts } from "../../agents/text-message.ts";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { prepareScanner, probeFor, type Probe } from "./byte-probe.ts";

/** As much as is looked at in one go, and of it once more, so that no word is cut. */
const PIECE_BYTES = 512 * 1024;
const CARRY_BYTES = 1024;

export class RawFilter {
  readonly #scanner = new ByteScanner();
  readonly #probes: Probe[];

  constructor(words: readonly string[]) {
    prepareScanner(this.#scanner);
    this.#probes = [...new Set(words)].map((word) => probeFor(word, this.#scanner));
  }

  /** False when none of the words is in them. */
  passes({ bytes, pieces }: RawTexts): boolean {
    for (let at = 0; at < pieces.length; at += 3)
      if (this.passesBytes(bytes, pieces[at + 1]!, pieces[at + 2]!)) return true;
    return false;
  }

  passesBytes(bytes: Buffer, start = 0, end = bytes.length): boolean {
    const scanner = this.#scanner;
    for (let from = start; from < end; from += PIECE_BYTES - CARRY_BYTES) {
      const length = bytes.copy(scanner.bytes, 0, from, Math.min(end, from + PIECE_BYTES));
      scanner.close(length);
      for (const probe of this.#probes) if (probe.unescaped(length) !== false) return true;
      if (from + length >= end) break;
    }
    return false;
  }
}
