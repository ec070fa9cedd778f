/** Reviews as text. */
import { isUnclear } from "../../changes/review/reviews.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { PlaceKind, Review, ReviewComment } from "../../protocol/review.ts";
import type { Output } from "../output.ts";

const PLACE_TEXT: Readonly<Record<PlaceKind, string>> = {
  same: "",
  moved: "moved",
  changed: "changed since",
  gone: "gone",
  removed: "removed lines",
  unread: "cannot be read",
};

const MAX_TITLE = 80;
const MAX_QUOTED = 12;

/** `isFull`: with the code and the whole comment. */
export function reviewLines(review: Review, output: Output, isFull: boolean): string[] {
  const { sessions, title, comments } = review;
  const heading = output.style("bold", truncate(oneLine(title) || sessions[0]!, MAX_TITLE));
  const lines = comments.flatMap((comment) => commentLines(comment, output, isFull));
  return [`${heading}  ${output.style("dim", oneLine(sessions.join(", ")))}`, ...lines, ""];
}

function commentLines(comment: ReviewComment, output: Output, isFull: boolean): string[] {
  const { id, file, line, end_line: end, place, quote, text } = comment;
  const range = line === end ? `${line}` : `${line}-${end}`;
  const where = PLACE_TEXT[place] === "" ? "" : ` ${output.style("yellow", `(${PLACE_TEXT[place]})`)}`;
  const head = `${String(id).padStart(3)}  ${stateText(comment, output)}  ${oneLine(visibleControls(file))}:${range}${where}`;
  if (!isFull) return [head, `     ${oneLine(text)}`];
  const code = quote.slice(0, MAX_QUOTED).map((each) => output.style("dim", `     | ${visibleControls(each)}`));
  const more =
    quote.length > MAX_QUOTED ? [output.style("dim", `     | … ${quote.length - MAX_QUOTED} more lines`)] : [];
  return [
    head,
    ...code,
    ...more,
    ...visibleControls(text)
      .split("\n")
      .map((each) => `     ${each}`),
  ];
}

function stateText(comment: ReviewComment, output: Output): string {
  const { state, delivery } = comment;
  if (isUnclear(comment))
    return output.style("red", state === "sending" ? "sent? (no receipt)" : "typed, not accepted");
  const to = state === "sent" && delivery?.to !== undefined ? ` to ${oneLine(delivery.to)}` : "";
  return output.style(state === "draft" ? "cyan" : "green", `${state}${to}`);
}
