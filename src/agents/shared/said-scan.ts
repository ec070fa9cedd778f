/**
 * Messages that are told below JavaScript, and without parsing their records: whoever shows a few words of many messages has little
 * else to do.
 */
import type { MessageRole } from "../../core/session.ts";
import type { ByteScanner, Needle } from "../../lib/byte-scan.ts";
import { asTime } from "../../lib/fields.ts";
import { latin1Text, utf8Text } from "../../lib/text-of-bytes.ts";

/** For the bytes of one scanner, and one needle. */
export interface SaidScan {
  /** Finds the needle as `Needle.findUnescaped` does, but for places that are no text of a message. */
  find?(from: number, end: number): number;
  /**
   * The message with the records at `starts`, in which the needle is at `place` and not before; `end`: where the next one begins.
   * `state`: as in `Spot`. Undefined: it takes more to tell.
   */
  said(starts: readonly number[], end: number, place: number, state: number): Said | undefined;
}

/** What is shown of a message: the first of its parts that has the needle. */
export interface Said {
  role: MessageRole;
  time: number | undefined;
  /** Undefined when none of them has it; then nothing else is told. */
  part: "content" | "thinking" | "call" | undefined;
  /** Of a call. */
  tool: string | undefined;
  /** A JSON string without its quotes. */
  start: number;
  end: number;
  /** Where the needle is in that. */
  place: number;
}

/** What modules have in common (wasm/said/parts.ts). */
export interface SaidExports {
  setWord(address: number, length: number, rarest: number, second: number): void;
  /** Which part of the message that was gone through last is shown. */
  shown(): number;
}

/** Where they put what they found. */
const FOUND = 528;
/** By what `shown` gives. */
const PARTS: readonly Said["part"][] = [undefined, "content", "thinking", "call"];

/** Gives what a module found last. */
export function saidIn(
  scanner: ByteScanner,
  { address, length, rarest, second }: Needle,
  { setWord, shown }: SaidExports,
): (role: MessageRole) => Said | undefined {
  setWord(address, length, rarest, second);
  const { bytes } = scanner;
  const found = scanner.numbersAt(FOUND, 7);
  const base = scanner.addressOf(0);
  return (role) => {
    const number = shown();
    if (number >= PARTS.length) return undefined;
    const part = PARTS[number];
    const time = found[2] === 0 ? undefined : asTime(latin1Text(bytes, found[2]! - base, found[3]! - base));
    const tool = part === "call" ? utf8Text(bytes, found[5]! - base, found[6]! - base) : undefined;
    return { role, time, part, tool, start: found[0]! - base, end: found[1]! - base, place: found[4]! - base };
  };
}
