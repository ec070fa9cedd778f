/** Changed files as terminal lines, each comment below its code. */
import { visibleControls } from "../../core/visible-text.ts";
import type { ChangedFile, ChangeLine } from "../../core/changes.ts";
import type { TranscriptLine } from "../../history/transcript-lines.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { PlaceKind, ReviewComment } from "../../protocol/review.ts";
import { fileLines } from "../diff/change-lines.ts";
import { isUnclear } from "./reviews.ts";

export const PLACE_TEXT: Readonly<Record<PlaceKind, string>> = {
  same: "",
  moved: "moved",
  changed: "changed since",
  gone: "gone",
  removed: "removed lines",
  unread: "cannot be read",
};

const MAX_QUOTED = 12;

/** Comments whose lines are not among those shown follow at the end, with their code. */
export function* commentedLines(
  files: readonly ChangedFile[],
  comments: readonly ReviewComment[],
): Generator<TranscriptLine> {
  const left = new Set(comments);
  for (const file of files) {
    yield { kind: "text", text: "", indent: 0 };
    yield* fileLines(file, (line) => {
      const here = comments.filter((comment) => left.has(comment) && isAt(comment, file, line));
      for (const comment of here) left.delete(comment);
      return here.flatMap((comment) => commentLines(comment, false));
    });
  }
  for (const comment of left) yield* commentLines(comment, true);
}

function isAt({ file: path, side, end_line: end, place }: ReviewComment, file: ChangedFile, line: ChangeLine): boolean {
  if (side === "old") return (file.oldPath ?? file.path) === path && line.kind === "removed" && line.oldLine === end;
  return file.path === path && place !== "gone" && line.kind !== "removed" && line.newLine === end;
}

function commentLines(comment: ReviewComment, isFull: boolean): TranscriptLine[] {
  const { id, file, line, end_line: end, quote, text } = comment;
  const where = `${oneLine(visibleControls(file))}:${line === end ? line : `${line}-${end}`}`;
  const place = PLACE_TEXT[comment.place] === "" ? "" : ` (${PLACE_TEXT[comment.place]})`;
  const head = `# ${id}  ${stateText(comment)}  ${where}${place}`;
  const code = isFull ? quote.slice(0, MAX_QUOTED).map((each) => `| ${visibleControls(each)}`) : [];
  const more = isFull && quote.length > MAX_QUOTED ? [`| … ${quote.length - MAX_QUOTED} more lines`] : [];
  return [
    ...(isFull ? [{ kind: "text", text: "", indent: 0 } as const] : []),
    { kind: "system", text: head, indent: 2 },
    ...[...code, ...more].map((each) => ({ kind: "fold", text: each, indent: 4 }) as const),
    ...visibleControls(text)
      .split("\n")
      .map((each) => ({ kind: "call", text: each, indent: 4 }) as const),
  ];
}

export function stateText(comment: Pick<ReviewComment, "state" | "delivery">): string {
  const { state, delivery } = comment;
  if (isUnclear(comment)) return state === "sending" ? "sent? (no receipt)" : "typed, not accepted";
  return state === "sent" && delivery?.to !== undefined ? `sent to ${oneLine(delivery.to)}` : state;
}
