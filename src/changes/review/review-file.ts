/** Reviews on disk: one JSON file per reviewed session below `reviews` in amux's home. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { withLock } from "../../lib/fs/with-lock.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { digestOf } from "../../lib/values/digest.ts";
import { COMMENT_STATES, ReviewDelivery } from "../../protocol/review.ts";

const Lines = z.array(z.string());

/** The process that sends them. */
const Sender = z.object({ pid: z.int(), startTime: z.string() });
export type Sender = z.infer<typeof Sender>;

// Loose: fields of another version survive a change.
const StoredComment = z.looseObject({
  id: z.int(),
  root: z.string(),
  file: z.string(),
  side: z.enum(["new", "old"]),
  anchor: z.object({
    line: z.int().check(z.gte(1)),
    quote: Lines.check(z.minLength(1)),
    before: Lines,
    after: Lines,
    places: z.int(),
    nth: z.int(),
  }),
  text: z.string(),
  state: z.enum(COMMENT_STATES),
  created_at: z.string(),
  delivery: z.optional(z.extend(ReviewDelivery, { id: z.string(), sender: z.optional(Sender) })),
});
export type StoredComment = z.infer<typeof StoredComment>;

const StoredReview = z.looseObject({
  /** The session's ids. */
  sessions: z.array(z.string()).check(z.minLength(1)),
  title: z.string(),
  /** The id of the next comment: ids are never used twice. */
  next: z.int().check(z.gte(1)),
  comments: z.array(StoredComment),
});
export type StoredReview = z.infer<typeof StoredReview>;

export interface DamagedReview {
  path: string;
  reason: string;
}

/** Every review is read to find one: more would be slow, and nobody has them. */
const MAX_REVIEWS = 2000;
const MAX_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 2000;

/** A file that is not as amux wrote it is left as it is, and told. */
export function readReviews(home: string): { reviews: StoredReview[]; damaged: DamagedReview[] } {
  const kept = filesIn(directoryOf(home)).map(reviewIn);
  return {
    reviews: kept.flatMap(({ review }) => review ?? []),
    damaged: kept.flatMap(({ path, reason }) => (reason === undefined ? [] : { path, reason })),
  };
}

/** The review of the session with one of these ids; earlier ids first: a terminal can go from one conversation to another. */
export function findReview(home: string, ids: readonly string[]): StoredReview | undefined {
  const { reviews } = readReviews(home);
  return firstOf(ids, reviews, (review) => review);
}

function firstOf<Item>(
  ids: readonly string[],
  items: readonly Item[],
  reviewOf: (item: Item) => StoredReview | undefined,
): Item | undefined {
  for (const id of ids) {
    const found = items.find((item) => reviewOf(item)?.sessions.includes(id) === true);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Changes a session's review, or a new one. What `change` throws leaves everything as it was. */
export function updateReview<Result>(
  home: string,
  { ids, title }: { ids: readonly string[]; title: string },
  change: (review: StoredReview) => Result,
): Result {
  const directory = directoryOf(home);
  ensurePrivateDirectory(home);
  ensurePrivateDirectory(directory);
  const done = withLock(join(directory, ".lock"), PATIENCE_MS, () => {
    const files = filesIn(directory);
    const known = firstOf(ids, files.map(reviewIn), ({ review }) => review);
    const path = known?.path ?? newPath(directory, ids, files);
    const review = known?.review ?? { sessions: [], title, next: 1, comments: [] };
    review.sessions = [...new Set([...review.sessions, ...ids])];
    const result = change(review);
    const text = `${JSON.stringify(review, null, 2)}\n`;
    // It could not be read again.
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new AgentMuxError("VALIDATION_ERROR", "This review is full. Remove comments that are done.");
    writeFileAtomic(path, text);
    return result;
  });
  if (done !== undefined) return done.result;
  throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process changes the reviews just now. Try again.", {
    recoverable: true,
  });
}

function directoryOf(home: string): string {
  return join(home, "reviews");
}

/** A damaged file may have this name; it is not overwritten. */
function newPath(directory: string, ids: readonly string[], taken: readonly string[]): string {
  if (taken.length >= MAX_REVIEWS)
    throw new AgentMuxError("VALIDATION_ERROR", `There are ${MAX_REVIEWS} reviews in ${directory}. Remove some first.`);
  const name = digestOf(ids[0]!).slice(0, 16);
  for (let number = 1; ; number++) {
    const path = join(directory, number === 1 ? `${name}.json` : `${name}-${number}.json`);
    if (!taken.includes(path)) return path;
  }
}

function filesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function reviewIn(path: string): { path: string; review?: StoredReview; reason?: string } {
  try {
    const { success, data, error } = StoredReview.safeParse(JSON.parse(readText(path, MAX_BYTES)));
    if (success) return { path, review: data };
    const [issue] = error.issues;
    return { path, reason: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not a review"}` };
  } catch (error) {
    return { path, reason: errorText(error) };
  }
}
