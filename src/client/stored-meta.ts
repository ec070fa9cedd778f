/**
 * What a runner left of its session on disk. Our own file, but on a disk that fills up, and in a directory that others can write to: what
 * is used of it without asking further is checked, so that one that is damaged costs its own session and no list.
 */
import { codeOf, fileStat, type OnProblem } from "../lib/fs/directory.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { check, integer, list, maybe, object, text, yesOrNo, type Shape } from "../protocol/shape.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** Undefined: it is not there yet, or nothing can be done with it, which is told. */
export function storedMeta(path: string, onProblem?: OnProblem): SessionMeta | undefined {
  // What is no file may never come to an end.
  if (fileStat(path, onProblem) === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(readText(path));
    const checked = check(USED, value);
    if (checked.ok) return value as SessionMeta;
    onProblem?.(path, `is not a session's: ${checked.message}`);
  } catch (error) {
    if (error instanceof SyntaxError) onProblem?.(path, "is not JSON");
    else if (codeOf(error) !== "ENOENT") onProblem?.(path, `cannot be read (${codeOf(error)})`);
  }
  return undefined;
}

function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null ? null : shape(value, path));
}

const word = text();
const words = maybe(word);

/** What runners of all versions have written. */
const USED = object({
  id: word,
  created_at: word,
  command: list(word),
  cwd: word,
  kind: word,
  agent: words,
  alive: yesOrNo,
  exit_code: orNull(integer()),
  title: word,
  name: words,
  slug: words,
  resume_key: words,
  status: orNull(object({ label: words })),
  state: maybe(object({ label: words, message: words })),
  reports: list(object({ state: word })),
});
