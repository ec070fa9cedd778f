/** Keeps a tool's answer within an agent's token budget. */

/** A rough estimate, safe for code: a token is about four characters of English. */
export const CHARACTERS_PER_TOKEN = 4;

/** What is around the entries. */
const FRAME_CHARACTERS = 120;

/** The first of the entries that fit, and how many were left out. */
export function fitting<T>(entries: readonly T[], tokens: number): { shown: T[]; omitted?: number } {
  let left = tokens * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS;
  const shown: T[] = [];
  for (const entry of entries) {
    left -= JSON.stringify(entry).length + 1;
    if (left < 0) break;
    shown.push(entry);
  }
  const omitted = entries.length - shown.length;
  return omitted === 0 ? { shown } : { shown, omitted };
}
