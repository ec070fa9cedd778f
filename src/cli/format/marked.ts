/** Text with highlighted ranges, if the output supports it. */
import { withoutControls } from "../../lib/text/text.ts";

export function marked(
  text: string,
  stretches: readonly { start: number; end: number }[],
  setOff: ((text: string) => string) | undefined,
): string {
  // One expression accepts most texts as they are.
  const clean = UNCLEAN.test(text) ? withoutControls : same;
  if (setOff === undefined) return clean(text);
  let shown = "";
  let at = 0;
  const ordered = stretches.length < 2 ? stretches : stretches.toSorted((a, b) => a.start - b.start);
  for (const { start, end } of ordered) {
    if (start < at) continue;
    shown += clean(text.slice(at, start)) + setOff(clean(text.slice(start, end)));
    at = end;
  }
  return shown + clean(text.slice(at));
}

/** Anything but printable ASCII and an ellipsis. */
const UNCLEAN = /[^ -~…]/;

function same(text: string): string {
  return text;
}
