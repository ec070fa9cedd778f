/** Which words differ between a removed line and the added line that replaces it. */
import { diffWordsWithSpace } from "diff";
import type { ChangeHunk } from "../../core/changes.ts";

/** Longer lines are not compared, because the diff would block the page. */
const MAX_COMPARED = 1000;
/** Larger changes replace a block, not its lines. */
const MAX_LINES = 50;
/** Lines that share less than this have nothing to do with each other. */
const MIN_COMMON_SHARE = 0.3;

export interface Stretch {
  start: number;
  end: number;
}

/** The stretches of a changed line that its counterpart does not have; empty if it has no counterpart. */
export function wordMarks({ lines }: Pick<ChangeHunk, "lines">, index: number): Stretch[] {
  const line = lines[index]!;
  const other = counterpart(lines, index);
  if (other === undefined || line.text.length > MAX_COMPARED || other.text.length > MAX_COMPARED) return [];
  const [before, after] = line.kind === "removed" ? [line.text, other.text] : [other.text, line.text];
  const marks: Stretch[] = [];
  let at = 0;
  let common = 0;
  for (const part of diffWordsWithSpace(before, after)) {
    const isOwn = line.kind === "removed" ? part.removed : part.added;
    if (!isOwn && (part.added || part.removed)) continue;
    if (isOwn) marks.push({ start: at, end: at + part.value.length });
    else common += part.value.trim().length;
    at += part.value.length;
  }
  return common < MIN_COMMON_SHARE * Math.max(before.trim().length, after.trim().length) ? [] : marks;
}

/** Removed lines are paired in order with the added lines after them. */
function counterpart(lines: ChangeHunk["lines"], index: number): ChangeHunk["lines"][number] | undefined {
  const { kind } = lines[index]!;
  if (kind === "context") return undefined;
  const isRemoved = kind === "removed";
  let first = index;
  while (first > 0 && lines[first - 1]!.kind === kind && index - first < MAX_LINES) first--;
  if (index - first >= MAX_LINES) return undefined;
  if (isRemoved) {
    let next = index;
    while (next < lines.length && lines[next]!.kind === "removed" && next - index < MAX_LINES) next++;
    const other = lines[next + (index - first)];
    return other?.kind === "added" && isRun(lines, next, next + (index - first), "added") ? other : undefined;
  }
  let before = first;
  while (before > 0 && lines[before - 1]!.kind === "removed" && first - before < MAX_LINES) before--;
  const other = lines[before + (index - first)];
  return before + (index - first) < first && other?.kind === "removed" ? other : undefined;
}

function isRun(lines: ChangeHunk["lines"], from: number, to: number, kind: string): boolean {
  return lines.slice(from, to + 1).every((line) => line.kind === kind);
}
