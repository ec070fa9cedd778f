/**
 * As much of a text in JSON as is shown around a word in it. To decode all of a tool's output takes longer than everything else
 * that is done to show a few words of it.
 */
import { latin1Text, utf8Text } from "../../lib/text-of-bytes.ts";
import { LEAD, SNIPPET_REACH, type Stretch } from "./places.ts";
import type { SingleWord } from "./single-word.ts";

/** Bytes before the word and behind its beginning; mostly enough. */
const BEFORE = 192;
const BEHIND = 512;

export interface JsonPiece {
  text: string;
  /** Those that are shown. */
  stretches: readonly Stretch[];
}

/**
 * The piece of the sound string from `start` to `end` that stands around `place`, before which the word is not. Undefined: it takes
 * more of the text to tell.
 */
export function pieceAround(
  bytes: Buffer,
  start: number,
  end: number,
  place: number,
  word: SingleWord,
): JsonPiece | undefined {
  const from = Math.max(start, place - BEFORE);
  const to = Math.min(end, place + BEHIND);
  // Cut at blanks, where neither a character nor an escape is cut, nor a word.
  const raw = latin1Text(bytes, from, to);
  const first = from === start ? 0 : raw.indexOf(" ") + 1;
  const last = to === end ? raw.length : raw.lastIndexOf(" ");
  if ((first === 0 && from !== start) || from + first > place || from + last <= place) return undefined;
  const text = decoded(utf8Text(bytes, from + first, from + last));
  const stretches = word.in(text);
  if (stretches.length === 0) return undefined;
  const shown = stretches[0]!;
  const isBegun = from === start || shown.start > LEAD;
  const isEnded = to === end || text.length > Math.max(shown.start + SNIPPET_REACH, shown.end);
  return isBegun && isEnded ? { text, stretches } : undefined;
}

function decoded(json: string): string {
  return json.includes("\\") ? (JSON.parse(`"${json}"`) as string) : json;
}
