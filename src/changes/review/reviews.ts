/** Comments on what sessions changed: listed with where their code is now, added, changed, and taken for sending. */
import { randomUUID } from "node:crypto";
import { AgentMuxError } from "../../core/errors.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { isRunning } from "../../lib/process/processes.ts";
import { optional } from "../../lib/values/optional.ts";
import {
  MAX_QUOTED_LINES,
  type NewComment,
  type Review,
  type ReviewChange,
  type ReviewComment,
  type ReviewSend,
  type ReviewSent,
} from "../../protocol/review.ts";
import { anchorAt, linesOf, locate, type Anchor } from "./anchor.ts";
import { fileLines, pathBelow, rootOf } from "./file-lines.ts";
import { placesNow, type PlaceOf } from "./places.ts";
import {
  findReview,
  readReviews,
  updateReview,
  type Sender,
  type StoredComment,
  type StoredReview,
} from "./review-file.ts";
import { reviewMessage } from "./review-message.ts";

/** The reviewed session. */
export interface ReviewTarget {
  /** All ids it is known by. */
  ids: readonly string[];
  /** Needed for new comments only: the session may be gone by then. */
  describe(): Promise<{ title: string; cwd: string }>;
  /** Where the user is: the first place to look for a file. */
  from?: string;
}

const MAX_COMMENTS = 500;

/** Empty if nobody has commented. */
export function readReview(home: string, ids: readonly string[]): Review {
  const review = findReview(home, ids);
  return review === undefined ? { sessions: [...ids], title: "", comments: [] } : shown(review, placesNow());
}

/** Those with comments, the latest comment first. */
export function listReviews(home: string): Review[] {
  const latest = ({ comments }: StoredReview): string => comments.at(-1)?.created_at ?? "";
  const { reviews } = readReviews(home);
  const used = reviews.filter(({ comments }) => comments.length > 0);
  const placeOf = placesNow();
  return used.sort((a, b) => latest(b).localeCompare(latest(a))).map((review) => shown(review, placeOf));
}

export async function changeReview(home: string, target: ReviewTarget, change: ReviewChange): Promise<Review> {
  const { add, edit, resolve = [], reopen = [], remove = [] } = change;
  const known = findReview(home, target.ids);
  const described = add === undefined ? undefined : await target.describe();
  const comment = add === undefined ? undefined : await newComment(add, described!.cwd, target.from);
  if (known === undefined && comment === undefined) throw noComment([edit?.id, ...resolve, ...reopen, ...remove][0]);
  const changed = updateReview(home, { ids: target.ids, title: described?.title ?? "" }, (review) => {
    if (edit !== undefined) editComment(commentOf(review, edit.id), edit.text);
    for (const id of resolve) commentOf(review, id).state = "resolved";
    for (const id of reopen) reopenComment(commentOf(review, id));
    for (const id of remove) commentOf(review, id);
    review.comments = review.comments.filter(({ id }) => !remove.includes(id));
    if (comment !== undefined) {
      if (review.comments.length >= MAX_COMMENTS)
        throw invalid(`This review has ${MAX_COMMENTS} comments. Remove some first.`);
      review.comments.push({ ...comment, id: review.next++ });
      review.title = described!.title;
    }
    return review;
  });
  // Others wait for the lock: files are read after it.
  return shown(changed, placesNow());
}

/** `unclear`: something may have been sent. */
export type Outcome = Pick<ReviewSent, "receipt" | "session"> | "unclear" | undefined;

export interface Taken {
  /** Id of the delivery. */
  delivery: string;
  message: string;
  comments: number[];
  /** Where the commented code is. */
  root: string;
}

/** Marks the comments as being sent before anything is sent, so that they are sent at most once. */
export function takeComments(home: string, ids: readonly string[], wish: ReviewSend, sender?: Sender): Taken {
  const now = findReview(home, ids);
  if (now === undefined || now.comments.length === 0)
    throw invalid("There are no comments to send. Add one with amux review add.");
  const placeOf = placesNow();
  // Others wait for the lock: files are read before it.
  for (const comment of now.comments) placeOf(comment);
  return updateReview(home, { ids, title: now.title }, (review) => {
    const chosen = wish.comments?.map((id) => commentOf(review, id)) ?? review.comments;
    const isDue = (comment: StoredComment): boolean =>
      comment.state === "draft" || (wish.again === true && isUnclear(comment) && !isBeingSent(comment));
    const due = chosen.filter(isDue);
    if (due.length === 0) throw nothingDue(chosen);
    const delivery = randomUUID();
    const message = reviewMessage(due.map((comment) => shownComment(comment, placeOf)));
    for (const comment of due) {
      comment.state = "sending";
      const at = new Date().toISOString();
      comment.delivery = { id: delivery, at, ...optional("to", wish.to), ...optional("sender", sender) };
    }
    return { delivery, message, comments: due.map(({ id }) => id), root: due[0]!.root };
  });
}

/** `outcome`: the receipt, undefined if certainly nothing was sent. */
export function settleComments(home: string, ids: readonly string[], delivery: string, outcome: Outcome): void {
  updateReview(home, { ids, title: "" }, (review) => {
    for (const comment of review.comments) {
      if (comment.delivery?.id !== delivery) continue;
      delete comment.delivery.sender;
      if (outcome === "unclear") continue;
      if (outcome !== undefined) {
        Object.assign(comment.delivery, { to: outcome.session, receipt: outcome.receipt });
        if (comment.state === "sending") comment.state = "sent";
      } else {
        if (comment.state === "sending") comment.state = "draft";
        delete comment.delivery;
      }
    }
  });
}

/** A delivery takes seconds. The daemon runs for weeks, and may fail to note the end of one. */
const LONGEST_DELIVERY_MS = 10 * 60_000;

/** By a process that has not heard the end of it. */
function isBeingSent({ state, delivery }: StoredComment): boolean {
  if (state !== "sending" || delivery?.sender === undefined) return false;
  const { pid, startTime } = delivery.sender;
  return Date.now() - Date.parse(delivery.at) < LONGEST_DELIVERY_MS && isRunning(pid, startTime);
}

/** Whether it may or may not have arrived. */
export function isUnclear({ state, delivery }: Pick<StoredComment | ReviewComment, "state" | "delivery">): boolean {
  return state === "sending" || (state === "sent" && delivery?.receipt === "not_taken");
}

/** Its id is given when it is kept. */
async function newComment(add: NewComment, cwd: string, from: string | undefined): Promise<StoredComment> {
  const { line, end_line: end = line, side = "new", quote, text } = add;
  if (cwd === "") throw invalid("The session has no known directory, so there is no file to comment on.");
  if (end < line || end - line >= MAX_QUOTED_LINES)
    throw invalid(`A comment is about 1 to ${MAX_QUOTED_LINES} lines: ${line}-${end} is not.`);
  if (quote !== undefined && quote.length !== end - line + 1)
    throw invalid("The quoted lines are not as many as the line numbers say.");
  const root = await rootOf(cwd);
  const file = await pathBelow(root, add.file, [...(from === undefined ? [] : [from]), root, cwd]);
  const asShown = quote && linesOf(`${quote.join("\n")}\n`);
  const anchor = side === "old" ? removedLines(line, asShown) : anchorIn(root, file, { line, end, asShown });
  const created_at = new Date().toISOString();
  return { id: 0, root, file, side, anchor, text: text.trim(), state: "draft", created_at };
}

function removedLines(line: number, quote: string[] | undefined): Anchor {
  if (quote === undefined) throw invalid("A comment on removed lines needs those lines.");
  return { line, quote, before: [], after: [], places: 1, nth: 0 };
}

function anchorIn(
  root: string,
  file: string,
  { line, end, asShown }: { line: number; end: number; asShown: string[] | undefined },
): Anchor {
  const lines = fileLines(root, file);
  const shownFile = visibleControls(file);
  if (lines === undefined) throw invalid(`There is no file ${shownFile} in ${visibleControls(root)}.`);
  if (asShown === undefined) {
    if (end > lines.length) throw invalid(`${shownFile} has ${lines.length} lines; there is no line ${end}.`);
    return anchorAt(lines, line, end - line + 1);
  }
  const alone = { line, quote: asShown, before: [], after: [], places: 1, nth: 0 };
  const isThere = asShown.every((text, index) => lines[line - 1 + index] === text);
  const place = isThere ? { kind: "same", line } : locate(alone, lines);
  if (place.kind !== "same" && place.kind !== "moved")
    throw invalid(`${shownFile} has changed since these lines were shown. Load the changes again.`);
  return anchorAt(lines, place.line!, asShown.length);
}

function editComment(comment: StoredComment, text: string): void {
  if (comment.state !== "draft") throw invalid(`Comment ${comment.id} was sent or resolved. Add a new one instead.`);
  comment.text = text.trim();
}

function reopenComment(comment: StoredComment): void {
  if (comment.state !== "resolved") return;
  const { delivery } = comment;
  comment.state = delivery === undefined ? "draft" : delivery.receipt === undefined ? "sending" : "sent";
}

function commentOf({ comments }: StoredReview, id: number): StoredComment {
  const comment = comments.find((each) => each.id === id);
  if (comment === undefined) throw noComment(id);
  return comment;
}

function shown({ sessions, title, comments }: StoredReview, placeOf: PlaceOf): Review {
  return { sessions, title, comments: comments.map((comment) => shownComment(comment, placeOf)) };
}

function shownComment(comment: StoredComment, placeOf: PlaceOf): ReviewComment {
  const { id, root, file, side, anchor, text, state, created_at, delivery } = comment;
  const place = placeOf(comment);
  const line = place.line ?? anchor.line;
  const { id: _, sender: __, ...told } = delivery ?? { id: "" };
  return {
    ...{ id, root, file, side, line, end_line: line + anchor.quote.length - 1, place: place.kind },
    ...{ quote: [...anchor.quote], text, state, created_at },
    ...optional("delivery", delivery && { at: delivery.at, ...told }),
  };
}

function nothingDue(chosen: readonly StoredComment[]): AgentMuxError {
  if (chosen.some(isBeingSent)) return invalid("These comments are being sent just now. Wait for the end of that.");
  const unclear = chosen.filter(isUnclear).length;
  const held =
    unclear === 0
      ? ""
      : ` It is not known whether ${unclear === 1 ? "one" : unclear} of them arrived; look at the session, then send again with --again.`;
  return invalid(`All comments were sent or resolved.${held}`);
}

function noComment(id: number | undefined): AgentMuxError {
  return invalid(id === undefined ? "Nothing was asked for." : `There is no comment ${id}. See amux review list.`);
}

function invalid(message: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message);
}
