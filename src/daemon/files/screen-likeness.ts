/**
 * How much of what a conversation says last can be read in a terminal. The last resort for telling whose conversation it is:
 * two sessions in one directory differ by nothing else when nobody tells.
 */

/** The end of a conversation is what a terminal shows. */
const LAST_CHARACTERS = 300;

/** Some screens full of a tall terminal. */
const SCREEN_CHARACTERS = 8000;

/** As long as a word or two: shorter ones are everywhere. */
const PIECE = 10;

/** A text this short proves nothing. */
const MIN_CHARACTERS = 20;

/** This share of the text must be on the screen, and that much more of it than on any other. */
const MIN_SHARE = 0.3;
const MIN_LEAD = 0.2;

/** The one screen on which the text can be read, if it is one only. */
export function shownOn(text: string, screens: ReadonlyMap<string, string>): string | undefined {
  const [first, second] = [...screens]
    .map(([id, screen]) => ({ id, share: likeness(text, screen) }))
    .sort((a, b) => b.share - a.share);
  if (first === undefined || first.share < MIN_SHARE) return undefined;
  return first.share - (second?.share ?? 0) < MIN_LEAD ? undefined : first.id;
}

/** The share of the end of the text that can be read on the screen, in whatever lines and frames it is set. */
function likeness(text: string, screen: string): number {
  const wanted = lettersOf(text.slice(-4 * LAST_CHARACTERS)).slice(-LAST_CHARACTERS);
  if (wanted.length < MIN_CHARACTERS) return 0;
  const shown = lettersOf(screen).slice(-SCREEN_CHARACTERS);
  const count = wanted.length - PIECE + 1;
  let found = 0;
  for (let at = 0; at < count; at++) if (shown.includes(wanted.slice(at, at + PIECE))) found++;
  return found / count;
}

/** Terminals break lines, draw frames and take marks of emphasis away; letters and digits stay. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
