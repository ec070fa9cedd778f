/** Replacements within a line: the removed line with the old text replaced is the added line. */
import type { ChangeLine } from "../../core/changes.ts";
import { isLong, type FileEdits } from "./edit-index.ts";
import { linesOf } from "./edit-text.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

/** So many replacements in one file are looked at, the latest first. */
const MAX_LOOKED_AT = 2000;
const MAX_HUNK_TEXT = 100_000;

/** By index of a changed line: the replacements that explain it to the letter. */
export function replacementsIn(
  edits: FileEdits,
  lines: readonly ChangeLine[],
  until: number,
): Map<number, RecordedEdit[]> {
  const found = new Map<number, RecordedEdit[]>();
  const [oldSide, newSide] = [sideOf(lines, "removed"), sideOf(lines, "added")];
  if (edits.replacements.length === 0 || oldSide === undefined || newSide === undefined) return found;
  for (const edit of edits.replacements.slice(-MAX_LOOKED_AT)) {
    if (edit.at > until) continue;
    const { before, after } = edit.replaced!;
    const [from, to] = [only(oldSide.text, before), only(newSide.text, after)];
    if (from === undefined || to === undefined) continue;
    const [old, now] = [wholeLines(oldSide.text, from, before.length), wholeLines(newSide.text, to, after.length)];
    // What stands before and behind it on its lines is the same.
    if (old.head !== now.head || old.tail !== now.tail) continue;
    const same = new Set(linesOf(old.text).filter((text) => linesOf(now.text).includes(text)));
    for (const index of [...oldSide.indexes(old), ...newSide.indexes(now)]) {
      const { kind, text } = lines[index]!;
      if (kind !== "context" && isLong(text) && !same.has(text)) found.set(index, [...(found.get(index) ?? []), edit]);
    }
  }
  return found;
}

interface Side {
  text: string;
  indexes(part: { from: number; to: number }): number[];
}

function sideOf(lines: readonly ChangeLine[], kind: "added" | "removed"): Side | undefined {
  const starts: { index: number; from: number }[] = [];
  let text = "";
  for (const [index, line] of lines.entries()) {
    if (line.kind !== kind && line.kind !== "context") continue;
    starts.push({ index, from: text.length });
    text += `${line.text}\n`;
    if (text.length > MAX_HUNK_TEXT) return undefined;
  }
  if (!starts.some(({ index }) => lines[index]!.kind === kind)) return undefined;
  return {
    text,
    indexes: ({ from, to }) => starts.filter((line) => line.from >= from && line.from < to).map(({ index }) => index),
  };
}

/** Where the text is, if it is there once. */
function only(text: string, part: string): number | undefined {
  if (part === "") return undefined;
  const at = text.indexOf(part);
  return at === -1 || text.indexOf(part, at + 1) !== -1 ? undefined : at;
}

/** The lines that hold this part of the text. */
function wholeLines(
  text: string,
  at: number,
  length: number,
): { from: number; to: number; head: string; tail: string; text: string } {
  const from = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", Math.max(at, at + length - 1));
  const to = end === -1 ? text.length : end;
  return { from, to, head: text.slice(from, at), tail: text.slice(at + length, to), text: text.slice(from, to) };
}
