/** Comments as one message for an agent: plain Markdown with file, lines, quoted code and comment. */
import { extname } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { PlaceKind, ReviewComment } from "../../protocol/review.ts";

/** As long as a prompt on a command line may be, with room for what stands before it. */
const MAX_MESSAGE_BYTES = 100_000;
/** More of one place an agent reads in the file itself. */
const MAX_SHOWN_LINES = 40;
const MAX_SHOWN_LINE = 400;

const NOW: Readonly<Record<PlaceKind, string>> = {
  same: "",
  moved: "",
  changed: " (changed since the comment was written; it was)",
  gone: " (no longer in the file; it was)",
  removed: " (removed lines)",
  unread: " (as it was when the comment was written)",
};

export function reviewMessage(comments: readonly ReviewComment[]): string {
  const [first] = comments;
  const count = comments.length === 1 ? "a review comment" : `${comments.length} review comments`;
  const roots = new Set(comments.map(({ root }) => root));
  const where = roots.size === 1 ? ` in ${pathText(first!.root)}` : "";
  const parts = comments.map((comment, index) => commentText(comment, index + 1, roots.size > 1));
  const message = [
    `Here ${comments.length === 1 ? "is" : "are"} ${count} on the changes${where}. Address each one.`,
    ...parts,
  ].join("\n\n");
  if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) return message;
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `The comments are longer than ${MAX_MESSAGE_BYTES / 1000} KB together. Send some of them at a time.`,
  );
}

function commentText(comment: ReviewComment, number: number, isFull: boolean): string {
  const { root, file, line, end_line: end, place, quote, text } = comment;
  const lines = line === end ? `line ${line}` : `lines ${line}-${end}`;
  const path = pathText(isFull ? `${root}/${file}` : file);
  const code = quote.slice(0, MAX_SHOWN_LINES).map((each) => truncate(visibleControls(each), MAX_SHOWN_LINE));
  const more = quote.length - code.length;
  const fence = "`".repeat(Math.max(3, ...code.map(longestTicks)));
  return [
    `${number}. ${path}, ${lines}${NOW[place]}:`,
    "",
    `${fence}${languageOf(file)}`,
    ...code,
    fence,
    ...(more > 0 ? [`(and ${more} more lines)`] : []),
    "",
    visibleControls(text),
  ].join("\n");
}

/** One more than the longest run of backticks, so that code cannot end its own block. */
function longestTicks(line: string): number {
  return Math.max(0, ...(line.match(/`+/g) ?? []).map((ticks) => ticks.length)) + 1;
}

function languageOf(file: string): string {
  return /^\.[a-z0-9+]{1,10}$/i.test(extname(file)) ? extname(file).slice(1) : "";
}

function pathText(path: string): string {
  return oneLine(visibleControls(path));
}
