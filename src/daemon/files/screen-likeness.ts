/** How much of a conversation's last text is visible in a terminal: the last resort for two sessions in one directory. */

/** A terminal shows the end of a conversation. */
const LAST_CHARACTERS = 300;

/** A few screens of a tall terminal. */
const SCREEN_CHARACTERS = 8000;

/** A word or two: shorter pieces are everywhere. */
const PIECE = 10;

/** A shorter text proves nothing. */
const MIN_CHARACTERS = 20;

/** This share must be on the screen, and this much more than on any other. */
const MIN_SHARE = 0.3;
const MIN_LEAD = 0.2;

/** The screen that shows the text, if it is only one. */
export function screenShowing(text: string, screens: ReadonlyMap<string, string>): string | undefined {
  const [first, second] = [...screens]
    .map(([id, screen]) => ({ id, share: likeness(text, screen) }))
    .sort((a, b) => b.share - a.share);
  if (first === undefined || first.share < MIN_SHARE) return undefined;
  return first.share - (second?.share ?? 0) < MIN_LEAD ? undefined : first.id;
}

/** Share of the text's end that is on the screen, ignoring lines and frames. */
function likeness(text: string, screen: string): number {
  const wanted = lettersOf(text.slice(-4 * LAST_CHARACTERS)).slice(-LAST_CHARACTERS);
  if (wanted.length < MIN_CHARACTERS) return 0;
  const shown = lettersOf(screen).slice(-SCREEN_CHARACTERS);
  const count = wanted.length - PIECE + 1;
  let found = 0;
  for (let at = 0; at < count; at++) if (shown.includes(wanted.slice(at, at + PIECE))) found++;
  return found / count;
}

/** Terminals wrap lines, draw frames and drop markup; letters and digits remain. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
