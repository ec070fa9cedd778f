/** Text width in terminal columns, by the emulator's own tables. */
import { GraphemeWidths } from "../../screen/grapheme-widths.ts";

const JOINS = 1;
const WIDTH_SHIFT = 1;
const WIDTH = 3;

const tables = new GraphemeWidths();

export interface Cluster {
  text: string;
  /** 1 or 2. */
  width: number;
}

/** Splits text into cells. Control characters are dropped, so that external text cannot move the cursor. */
export function* clusters(text: string): Generator<Cluster> {
  let current: Cluster | undefined;
  let state = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) continue;
    state = tables.charProperties(code, state);
    const width = (state >> WIDTH_SHIFT) & WIDTH;
    if (current !== undefined && (state & JOINS) !== 0) {
      current.text += character;
      current.width = Math.max(current.width, Math.min(width, 2));
      continue;
    }
    if (current !== undefined) yield current;
    // A combining mark without a base has no cell.
    current = width === 0 ? undefined : { text: character, width };
  }
  if (current !== undefined) yield current;
}

const ASCII = /^[ -~]*$/;

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += cluster.width;
  return width;
}

/** Truncates to `width` columns with an ellipsis. */
export function fit(text: string, width: number): string {
  if (width <= 0) return "";
  if (widthOf(text) <= width) return text;
  let result = "";
  let used = 0;
  for (const cluster of clusters(text)) {
    if (used + cluster.width > width - 1) break;
    result += cluster.text;
    used += cluster.width;
  }
  return `${result}…`;
}

export function padded(text: string, width: number, align: "left" | "right" = "left"): string {
  const cut = fit(text, width);
  const space = " ".repeat(Math.max(0, width - widthOf(cut)));
  return align === "right" ? space + cut : cut + space;
}

/** Wraps to lines of at most `width` columns, at spaces if possible. */
export function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", "  "), Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (ASCII.test(line) && line.length <= width) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of line.split(/(?<= )/)) {
    const size = widthOf(word.trimEnd());
    if (used + size > width && used > 0) {
      lines.push(current.trimEnd());
      current = "";
      used = 0;
    }
    if (size <= width) {
      current += word;
      used += widthOf(word);
      continue;
    }
    for (const cluster of clusters(word)) {
      if (used + cluster.width > width) {
        lines.push(current);
        current = "";
        used = 0;
      }
      current += cluster.text;
      used += cluster.width;
    }
  }
  lines.push(current.trimEnd());
  return lines;
}
