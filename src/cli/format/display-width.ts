/** Display width of a text in terminal columns. */

/** Created on demand: it takes half of Node's own start-up time. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Narrow characters that never join: most texts have no others. */
const NARROW =
  /^[\u0020-\u007e\u00a1-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u2190-\u22ff\u2500-\u259f\u2713-\u2718]*$/;
// East Asian wide and fullwidth forms, and emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOf(segment);
  return width;
}

function widthOf(grapheme: string): number {
  if (/^\p{Mark}/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** At most `width` columns, with an ellipsis if cut. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let result = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const size = widthOf(segment);
    if (used + size > width - 1) break;
    result += segment;
    used += size;
  }
  return `${result}…`;
}

export function pad(text: string, width: number, align?: "right"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? space + text : text + space;
}
