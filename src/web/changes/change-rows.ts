/** The rows of the Changes view: files, hunks, lines and comments in one list, so that only the visible ones are drawn. */
import type { ChangedFile, ChangeHunk, ChangeLine, ChangeOrigin } from "../../core/changes.ts";
import type { ReviewComment } from "../../protocol/review.ts";

export type ChangeRow =
  | { kind: "file"; file: ChangedFile }
  | { kind: "note"; file: ChangedFile; text: string }
  | { kind: "hunk"; file: ChangedFile; hunk: ChangeHunk }
  | { kind: "origin"; origin: ChangeOrigin }
  | { kind: "line"; file: ChangedFile; hunk: ChangeHunk; index: number }
  | { kind: "comment"; comment: ReviewComment }
  | { kind: "composer" };

/** Lines of one hunk that a new comment is about. */
export interface LineSelection {
  file: ChangedFile;
  hunk: ChangeHunk;
  from: number;
  to: number;
  /** The line that was selected first; the others extend it. */
  anchor: number;
}

export function rowsOf(
  files: readonly ChangedFile[],
  folded: ReadonlySet<string>,
  comments: readonly ReviewComment[],
  selection: LineSelection | null,
): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (const file of files) {
    rows.push({ kind: "file", file });
    if (folded.has(file.path)) continue;
    if (file.hunks === undefined) rows.push({ kind: "note", file, text: file.omitted ?? "No lines to show." });
    const here = comments.filter((comment) => comment.file === file.path);
    for (const hunk of file.hunks ?? []) addHunk(rows, file, hunk, here, selection);
  }
  return rows;
}

function addHunk(
  rows: ChangeRow[],
  file: ChangedFile,
  hunk: ChangeHunk,
  comments: readonly ReviewComment[],
  selection: LineSelection | null,
): void {
  rows.push({ kind: "hunk", file, hunk });
  const origins = new Map((hunk.ranges ?? []).map(({ start, origin }) => [start, origin]));
  for (const [index, line] of hunk.lines.entries()) {
    const origin = origins.get(index);
    if (origin !== undefined) rows.push({ kind: "origin", origin });
    rows.push({ kind: "line", file, hunk, index });
    for (const comment of comments) if (endsAt(comment, line)) rows.push({ kind: "comment", comment });
    if (selection?.hunk === hunk && selection.to === index) rows.push({ kind: "composer" });
  }
}

function endsAt({ side, end_line, place }: ReviewComment, line: ChangeLine): boolean {
  if (place === "gone" || place === "unread") return false;
  return side === "old" ? line.kind === "removed" && line.oldLine === end_line : line.newLine === end_line;
}

/** What a comment on the selected lines is about: the lines as they are now, or removed ones if there is nothing else. */
export function quoted({ hunk, from, to }: Pick<LineSelection, "hunk" | "from" | "to">): {
  side: "new" | "old";
  line: number;
  end_line: number;
  quote: string[];
} {
  const chosen = hunk.lines.slice(from, to + 1);
  const kept = chosen.filter(({ kind }) => kind !== "removed");
  const lines = kept.length > 0 ? kept : chosen;
  const numberOf = (line: ChangeLine): number => (kept.length > 0 ? line.newLine : line.oldLine) ?? 1;
  return {
    side: kept.length > 0 ? "new" : "old",
    line: numberOf(lines[0]!),
    end_line: numberOf(lines.at(-1)!),
    quote: lines.map(({ text }) => text),
  };
}
