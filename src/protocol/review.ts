/** Comments on lines that a session changed, collected and sent as one message. */
import * as z from "zod/mini";

export const MAX_COMMENT_CHARACTERS = 10_000;
/** Lines of code that one comment can be about. */
export const MAX_QUOTED_LINES = 400;

/**
 * `sending`: it was about to be sent, and nothing has said since whether it arrived. It is not sent again unless asked for.
 */
export const COMMENT_STATES = ["draft", "sending", "sent", "resolved"] as const;

/**
 * Where the code is now. `same`: at its place. `moved`: elsewhere in the file. `changed`: it was changed since. `gone`: neither
 * the code nor its surroundings are in the file. `removed`: the comment is about removed lines. `unread`: the file cannot be read.
 */
export const PLACES = ["same", "moved", "changed", "gone", "removed", "unread"] as const;
export type PlaceKind = (typeof PLACES)[number];

export const ReviewDelivery = z.object({
  at: z.string(),
  /** Id of the session it was sent to; absent while a new one is being started. */
  to: z.optional(z.string()),
  /** As of any message; `started`: it was the prompt of a new session. Absent while it is not known. */
  receipt: z.optional(z.enum(["delivered", "queued", "not_taken", "started"])),
});
export type ReviewDelivery = z.infer<typeof ReviewDelivery>;

export const ReviewComment = z.object({
  /** Counted from 1 in each review. */
  id: z.int(),
  /** The repository's root, or the session's directory outside of one. */
  root: z.string(),
  /** Relative to the root. */
  file: z.string(),
  /** `old`: about removed lines, with the line numbers of the former file. */
  side: z.enum(["new", "old"]),
  /** First and last line as they are now; where it was written, if the code is not found. */
  line: z.int(),
  end_line: z.int(),
  place: z.enum(PLACES),
  /** The lines as they were when the comment was written. */
  quote: z.array(z.string()),
  text: z.string(),
  state: z.enum(COMMENT_STATES),
  created_at: z.string(),
  delivery: z.optional(ReviewDelivery),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

export const Review = z.object({
  /** Ids of the session: of its terminal, `<agent>:<native id>` of its conversation, or both. */
  sessions: z.array(z.string()),
  title: z.string(),
  comments: z.array(ReviewComment),
});
export type Review = z.infer<typeof Review>;

const Line = z.int().check(z.gte(1), z.lte(10_000_000));
const CommentText = z.string().check(
  z.refine((text) => text.trim() !== "", "is empty"),
  z.maxLength(MAX_COMMENT_CHARACTERS),
);
const CommentIds = z.array(z.int().check(z.gte(1))).check(z.maxLength(1000));

export const NewComment = z.object({
  /** Relative to the repository's root or to the session's directory, or absolute below the root. */
  file: z.string().check(z.minLength(1), z.maxLength(4096)),
  line: Line,
  end_line: z.optional(Line),
  side: z.optional(z.enum(["new", "old"])),
  /** The lines as they were shown, to find them if the file has changed meanwhile. Required for removed lines. */
  quote: z.optional(
    z.array(z.string().check(z.maxLength(100_000))).check(z.minLength(1), z.maxLength(MAX_QUOTED_LINES)),
  ),
  text: CommentText,
});
export type NewComment = z.infer<typeof NewComment>;

export const ReviewChange = z.object({
  add: z.optional(NewComment),
  /** Only one that was not sent. */
  edit: z.optional(z.object({ id: z.int(), text: CommentText })),
  resolve: z.optional(CommentIds),
  /** Undoes `resolve`. */
  reopen: z.optional(CommentIds),
  remove: z.optional(CommentIds),
});
export type ReviewChange = z.infer<typeof ReviewChange>;

export const ReviewSend = z.object({
  /** Another running session of the same machine. */
  to: z.optional(z.string().check(z.maxLength(200))),
  /** Starts this agent with the comments as its prompt. */
  new: z.optional(z.string().check(z.maxLength(100))),
  /** Only these; otherwise all that were not sent. */
  comments: z.optional(CommentIds),
  /** Also those of which it is not known whether they arrived. */
  again: z.optional(z.boolean()),
  /** Type even if the session asks something: Enter may then answer it. */
  force: z.optional(z.boolean()),
});
export type ReviewSend = z.infer<typeof ReviewSend>;

export const ReviewSent = z.object({
  /** Id of the session that got them. */
  session: z.string(),
  receipt: z.enum(["delivered", "queued", "not_taken", "started"]),
  /** Ids of the comments. */
  comments: z.array(z.int()),
});
export type ReviewSent = z.infer<typeof ReviewSent>;
