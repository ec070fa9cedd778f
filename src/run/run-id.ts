/** Run ids: ULIDs, so that they sort by start time, even within one millisecond. */
import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
/** The first digit holds three bits: 48 bits of milliseconds in all. */
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

let lastMs = 0;
let lastRandom: number[] = [];

export function createRunId(nowMs: number = Date.now()): string {
  // A clock set back must not sort a later run before an earlier one.
  if (nowMs > lastMs) {
    lastMs = nowMs;
    lastRandom = Array.from(randomBytes(RANDOM_DIGITS), (byte) => byte % ALPHABET.length);
  } else increment();
  let time = "";
  for (let rest = lastMs, i = 0; i < TIME_DIGITS; i++, rest = Math.floor(rest / ALPHABET.length)) {
    time = ALPHABET[rest % ALPHABET.length]! + time;
  }
  return time + lastRandom.map((digit) => ALPHABET[digit]).join("");
}

function increment(): void {
  for (let i = RANDOM_DIGITS - 1; i >= 0; i--) {
    lastRandom[i] = (lastRandom[i]! + 1) % ALPHABET.length;
    if (lastRandom[i] !== 0) return;
  }
  // All 80 bits were used up within one millisecond: use the next one.
  lastMs++;
}

export function isRunId(text: string): boolean {
  return PATTERN.test(text);
}
