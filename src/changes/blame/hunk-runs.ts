/** Lines of a hunk that belong together. */
import type { ChangeLine } from "../../core/changes.ts";
import { weightOf, type EditLine } from "./edit-index.ts";

/** Each unknown value is the last known one before it. */
export function filledDown<T>(values: readonly (T | undefined)[]): (T | undefined)[] {
  let last: T | undefined;
  return values.map((value) => (last = value ?? last));
}

export interface Run {
  lines: { position: number; index: number }[];
  weight: number;
}

/** The equal lines around a line that is in a hunk and in an edit. */
export function runAround(
  lines: readonly ChangeLine[],
  side: readonly number[],
  at: number,
  { edit, index }: EditLine,
  kind: "added" | "removed",
): Run {
  const texts = kind === "added" ? edit.newLines : edit.oldLines;
  const isEqual = (offset: number): boolean =>
    side[at + offset] !== undefined && texts[index + offset] === lines[side[at + offset]!]!.text;
  let [first, last] = [0, 0];
  while (isEqual(first - 1)) first--;
  while (isEqual(last + 1)) last++;
  const run: Run = { lines: [], weight: 0 };
  for (let offset = first; offset <= last; offset++) {
    run.lines.push({ position: side[at + offset]!, index: index + offset });
    run.weight += weightOf(texts[index + offset]!);
  }
  return run;
}

export function positionsOf(lines: readonly ChangeLine[], kind: "added" | "removed"): number[] {
  const positions: number[] = [];
  lines.forEach((line, index) => {
    if (line.kind === kind || line.kind === "context") positions.push(index);
  });
  return positions;
}

/** Changed lines that follow each other. */
export function* blocksOf(lines: readonly ChangeLine[]): Generator<[number, number]> {
  for (let start = 0; start < lines.length; start++) {
    if (lines[start]!.kind === "context") continue;
    let end = start;
    while (end < lines.length && lines[end]!.kind !== "context") end++;
    yield [start, end];
    start = end;
  }
}
