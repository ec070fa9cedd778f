/** Checks a session's name: one line that fits into a list. */
import { oneLine, truncate } from "../lib/text/text.ts";

const MAX_NAME = 200;

export function sessionName(text: string): string {
  return truncate(oneLine(text), MAX_NAME);
}
