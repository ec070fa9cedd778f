/** Text with some stretches of it set off. */
import { withoutControls } from "../../lib/text.ts";

export function marked(
  text: string,
  stretches: readonly { start: number; end: number }[],
  setOff: (text: string) => string,
): string {
  let shown = "";
  let at = 0;
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    shown += withoutControls(text.slice(at, start)) + setOff(withoutControls(text.slice(start, end)));
    at = end;
  }
  return shown + withoutControls(text.slice(at));
}
