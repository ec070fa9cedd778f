/** Texts of system messages: a turn that ended without an answer, or a replaced context. */
import { isReview } from "./format.ts";
import { reviewOf } from "./format-items.ts";
import type { Entry } from "./thread-stream.ts";

/** Words of the sentences below, which are in no file. */
export const NOTICE_WORDS = "The context was compacted. Interrupted by the user. Turn aborted. Review.";

/** Without the sentence that introduces it to the model; the summary itself may be encrypted. */
export function summaryText(message: string): string {
  const text = message.replace(/^Another language model started[^\n]*:\n/, "").trim();
  return text === "" ? "The context was compacted." : text;
}

export function abortText(reason: string | undefined): string {
  return reason === undefined || reason === "interrupted" ? "Interrupted by the user." : `Turn aborted: ${reason}.`;
}

/** The subject of a review that starts here. */
export function reviewText({ record, foreign }: Entry): string | undefined {
  if (foreign || !isReview(record.type)) return undefined;
  const what = reviewOf(record.payload);
  return what === undefined ? undefined : `Review: ${what}`;
}
