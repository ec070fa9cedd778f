/** Options in a frame of their own, with the marked one in bold, and a hint below the frame how to choose. */
import { oneLine, truncate } from "../lib/text/text.ts";
import type { ChoiceLine } from "./choice-line.ts";
import type { Choice, ShownOption } from "./shown-choice.ts";
import { lookAt } from "./shown-row.ts";

const MAX_OPTIONS = 20;
const MAX_QUESTION = 300;
const HINT = /[↑↓].*\benter\b/iu;

export function isBoldAt({ row }: ChoiceLine, at: number): boolean {
  return lookAt(row, at)?.isBold === true;
}

export function boldChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  const hint = lines.findLastIndex(({ row }) => HINT.test(row.text));
  const bottom = hint - 1;
  if (hint === -1 || lines[bottom]?.isRule !== true) return undefined;
  let top = bottom - 1;
  while (top > 0 && bottom - top <= MAX_OPTIONS && lines[top]!.frame > 0 && !lines[top]!.isRule) top--;
  if (lines[top]?.isRule !== true) return undefined;
  const options = optionsIn(lines.slice(top + 1, bottom));
  if (options.length < 2 || options.filter(({ isMarked }) => isMarked).length !== 1) return undefined;
  return {
    question: textAbove(lines, top),
    options,
    isSeveral: false,
    isAcross: false,
    isScrolled: false,
  };
}

/** A label that does not fit goes on in the next line, further to the left. */
function optionsIn(framed: readonly ChoiceLine[]): ShownOption[] {
  const column = Math.max(0, ...framed.map(({ words }) => words));
  const options: ShownOption[] = [];
  for (const line of framed) {
    const last = options.at(-1);
    if (line.words === column) options.push({ label: line.label, isMarked: isBoldAt(line, column) });
    else if (last !== undefined && line.label !== "") last.label += ` ${line.label}`;
  }
  return options;
}

/** The paragraph above the frame; above a frame with a change, if there is one between. */
function textAbove(lines: readonly ChoiceLine[], top: number): string {
  const above = lines.findLastIndex(({ isBlank }, at) => at < top && !isBlank);
  if (above !== top - 1 && lines[above]?.isRule === true) {
    const outer = lines.findLastIndex(({ frame }, at) => at < above && frame === 0);
    return textAbove(lines, outer);
  }
  if (above !== top - 1 && above !== -1) return textAbove(lines, above + 1);
  const from = lines.findLastIndex(({ isBlank, isRule }, at) => at < top && (isBlank || isRule)) + 1;
  const text = lines.slice(from, top).map(({ row }) => row.text);
  return truncate(oneLine(text.join(" ")), MAX_QUESTION);
}
