/** Changes as rows of the view: files, hunks, lines and comments, one screen line each. */
import type { ChangedFile, ChangeHunk, ChangeLine, ChangeOrigin, SessionChanges } from "../../core/changes.ts";
import type { ReviewComment } from "../../protocol/review.ts";
import { wrapped } from "../render/text-width.ts";

export type ChangeRow =
  | { kind: "note"; text: string }
  | { kind: "file"; file: ChangedFile }
  | { kind: "hunk"; file: ChangedFile; hunk: ChangeHunk }
  | { kind: "line"; file: ChangedFile; hunk: ChangeHunk; at: number }
  | { kind: "comment"; comment: ReviewComment; text: string };

export interface RowsOptions {
  comments: readonly ReviewComment[];
  /** Paths of folded files. */
  folded: ReadonlySet<string>;
  width: number;
}

/** The space before a comment's text. */
const COMMENT_MARGIN = 14;

export function changeRows(changes: SessionChanges, { comments, folded, width }: RowsOptions): ChangeRow[] {
  const notes = [changes.base.sentence, ...(changes.notes ?? []), changes.truncated ?? ""];
  const rows: ChangeRow[] = noteRows(notes, width);
  const placed = new Map<string, ReviewComment[]>();
  for (const comment of comments) {
    if (comment.root !== changes.root) continue;
    placed.set(comment.file, [...(placed.get(comment.file) ?? []), comment]);
  }
  for (const file of changes.files) {
    rows.push({ kind: "file", file });
    if (folded.has(file.path)) continue;
    const own = placed.get(file.path) ?? [];
    const left = new Set(own);
    const lines: ChangeRow[] = [];
    for (const hunk of file.hunks ?? []) {
      lines.push({ kind: "hunk", file, hunk });
      for (const [at, line] of hunk.lines.entries()) {
        lines.push({ kind: "line", file, hunk, at });
        for (const comment of own) {
          if (!endsAt(comment, line) || !left.delete(comment)) continue;
          lines.push(...commentRows(comment, width));
        }
      }
    }
    // Their lines are not among the changed ones, or are gone.
    for (const comment of left) rows.push(...commentRows(comment, width));
    if (file.omitted !== undefined) rows.push({ kind: "note", text: file.omitted });
    else if (file.isBinary) rows.push({ kind: "note", text: "A binary file." });
    for (const row of lines) rows.push(row);
  }
  if (changes.files.length === 0) rows.push({ kind: "note", text: "No changes." });
  return rows;
}

export function noteRows(notes: readonly string[], width: number): ChangeRow[] {
  return notes
    .filter((text) => text !== "")
    .flatMap((text) => wrapped(text, width).map((part) => ({ kind: "note", text: part }) as const));
}

function endsAt({ side, end_line: end }: ReviewComment, { oldLine, newLine }: ChangeLine): boolean {
  return end === (side === "old" ? oldLine : newLine);
}

function commentRows(comment: ReviewComment, width: number): ChangeRow[] {
  const moved = comment.place === "changed" ? " (changed since)" : comment.place === "gone" ? " (gone)" : "";
  const text = `#${comment.id} ${comment.state}${moved}: ${comment.text}`;
  return wrapped(text, Math.max(10, width - COMMENT_MARGIN)).map((part) => ({ kind: "comment", comment, text: part }));
}

export function fileOf(row: ChangeRow | undefined): ChangedFile | undefined {
  return row === undefined || row.kind === "note" || row.kind === "comment" ? undefined : row.file;
}

/** Of this line, if its hunk has several authors. */
export function originOf(row: ChangeRow | undefined): ChangeOrigin | undefined {
  if (row?.kind === "hunk") return row.hunk.origin;
  if (row?.kind !== "line") return undefined;
  const { hunk, at } = row;
  return hunk.ranges?.find(({ start, end }) => at >= start && at < end)?.origin ?? hunk.origin;
}

/** What a comment on these rows is about; a text says why none can be made. */
export function commentPlace(
  rows: readonly ChangeRow[],
): { file: string; line: number; end_line: number; side: "old" | "new"; quote: string[] } | string {
  const lines = rows.filter((row) => row.kind === "line");
  const [first] = lines;
  if (first === undefined) return "Move to a changed line first, then comment on it.";
  if (lines.some(({ hunk }) => hunk !== first.hunk)) return "A comment is about lines of one hunk.";
  const chosen = lines.map(({ hunk, at }) => hunk.lines[at]!);
  const side = chosen.every(({ kind }) => kind === "removed") ? "old" : "new";
  const numbers = chosen.flatMap((line) => (side === "old" ? line.oldLine : line.newLine) ?? []);
  const quote = chosen.filter(({ kind }) => side === "old" || kind !== "removed").map(({ text }) => text);
  if (numbers.length === 0) return "These lines have no number, so they cannot be commented on.";
  return { file: first.file.path, line: numbers[0]!, end_line: numbers.at(-1)!, side, quote };
}
