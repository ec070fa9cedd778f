/** Comments by their numbers. */
import type { ArgumentSpec } from "../command.ts";
import { usageError } from "../command.ts";

export const COMMENT_ARGUMENT: ArgumentSpec = {
  name: "comment",
  description: "its number, as amux review list shows it",
};

export function commentId(word: string): number {
  if (!/^[1-9]\d{0,5}$/.test(word)) throw usageError(`A comment has a number, not "${word}". See amux review list.`);
  return Number(word);
}
