/**
 * A session's metadata as its runner left it on disk. The fields used are checked, so that a damaged file costs only its own
 * session.
 */
import { codeOf, fileStat, type OnProblem } from "../lib/fs/directory.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { check, integer, list, optional, object, text, boolean, type Shape } from "../protocol/shape.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** Undefined if it does not exist yet, or is unusable, which is reported. */
export function storedMeta(path: string, onProblem?: OnProblem): SessionMeta | undefined {
  // Anything but a regular file may be endless.
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
const words = optional(word);

/** Fields that runners of all versions have written. */
const USED = object({
  id: word,
  created_at: word,
  command: list(word),
  cwd: word,
  kind: word,
  agent: words,
  alive: boolean,
  exit_code: orNull(integer()),
  title: word,
  name: words,
  slug: words,
  resume_key: words,
  status: orNull(object({ label: words })),
  state: optional(object({ label: words, message: words })),
  reports: list(object({ state: word })),
});
