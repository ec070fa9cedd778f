/** Reviews as text: one line for the place, one for the comment. */
import { PLACE_TEXT, stateText } from "../../changes/review/commented-lines.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { Review, ReviewComment } from "../../protocol/review.ts";
import type { Output } from "../output.ts";

const MAX_TITLE = 80;

export function reviewLines({ sessions, title, comments }: Review, output: Output): string[] {
  const heading = output.style("bold", truncate(oneLine(title) || sessions[0]!, MAX_TITLE));
  const lines = comments.flatMap((comment) => commentLines(comment, output));
  return [`${heading}  ${output.style("dim", oneLine(sessions.join(", ")))}`, ...lines, ""];
}

function commentLines(comment: ReviewComment, output: Output): string[] {
  const { id, file, line, end_line: end, place, state, text } = comment;
  const range = line === end ? `${line}` : `${line}-${end}`;
  const where = PLACE_TEXT[place] === "" ? "" : ` ${output.style("yellow", `(${PLACE_TEXT[place]})`)}`;
  const told = output.style(state === "draft" ? "cyan" : state === "sending" ? "red" : "green", stateText(comment));
  return [
    `${String(id).padStart(3)}  ${told}  ${oneLine(visibleControls(file))}:${range}${where}`,
    `     ${oneLine(visibleControls(text))}`,
  ];
}
