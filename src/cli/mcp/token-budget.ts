/** Keeps a tool's answer within an agent's token budget. Estimated high: an answer is rather too short than too long. */

/** English prose has four characters in a token; code, JSON, paths and ids have three. */
export const CHARACTERS_PER_TOKEN = 3;

/** Beyond ASCII, a character is about a token: Chinese, Japanese, Korean, emoji (of two). */
const OTHER_EXTRA = CHARACTERS_PER_TOKEN - 1;
const MAX_ASCII = 0x7f;

/** What is around the entries. */
const FRAME_CHARACTERS = 120;

/** The length of a text in characters of English. */
export function weightOf(text: string): number {
  let weight = text.length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > MAX_ASCII) weight += OTHER_EXTRA;
  return weight;
}

/** How many characters from the beginning, or the end, are within the weight. */
export function lengthWithin(text: string, weight: number, fromEnd = false): number {
  let left = weight;
  for (let count = 0; count < text.length; count++) {
    left -= text.charCodeAt(fromEnd ? text.length - 1 - count : count) > MAX_ASCII ? 1 + OTHER_EXTRA : 1;
    if (left < 0) return count;
  }
  return text.length;
}

/** The first of the entries that fit, and how many were left out. */
export function fitting<T>(entries: readonly T[], tokens: number): { shown: T[]; omitted?: number } {
  let left = tokens * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS;
  const shown: T[] = [];
  for (const entry of entries) {
    left -= weightOf(JSON.stringify(entry)) + 1;
    if (left < 0) break;
    shown.push(entry);
  }
  const omitted = entries.length - shown.length;
  return omitted === 0 ? { shown } : { shown, omitted };
}
