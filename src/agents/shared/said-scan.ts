/**
 * Records that are a message by themselves and say one text, as most prompts and outputs of tools are: told below JavaScript, and
 * without parsing them. Whoever shows a few words of many messages has little else to do.
 */
import type { ByteScanner } from "../../lib/byte-scan.ts";
import { asTime } from "../../lib/fields.ts";
import { latin1Text } from "../../lib/text-of-bytes.ts";

/** For the bytes of one scanner. */
export interface SaidScan {
  /** Finds a needle as `Needle.findUnescaped` does, but for places that are no text of a message. */
  find?(from: number, end: number): number;
  /** The message that begins with the record at `start`; `end`: of the bytes. `state`: as in `Spot`. */
  said(start: number, end: number, state: number): Said | undefined;
}

export interface Said {
  role: "user" | "tool";
  time: number | undefined;
  /** Its text: a JSON string without its quotes. */
  start: number;
  end: number;
}

/** Where wasm/said/text.ts puts what it found. */
const FOUND = 528;

/** Gives what was found last, of which the module has told the role. */
export function saidIn(scanner: ByteScanner): (role: Said["role"]) => Said {
  const { bytes } = scanner;
  const found = scanner.numbersAt(FOUND, 4);
  const base = scanner.addressOf(0);
  return (role) => {
    const time = found[2] === 0 ? undefined : asTime(latin1Text(bytes, found[2]! - base, found[3]! - base));
    return { role, time, start: found[0]! - base, end: found[1]! - base };
  };
}
