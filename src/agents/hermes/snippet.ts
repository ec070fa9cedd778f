/** A snippet for text that is not indexed. */
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { Alternative } from "./query.ts";

const SNIPPET_LENGTH = 200;
const BEFORE = 60;

export function snippetOf(text: string, query: readonly Alternative[]): string {
  const lower = text.toLowerCase();
  const places = query
    .flatMap(({ wanted }) => wanted)
    .map((term) => lower.indexOf(term.text.toLowerCase()))
    .filter((place) => place !== -1);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE);
  return `${from > 0 ? "…" : ""}${truncate(oneLine(text.slice(from, from + 4 * SNIPPET_LENGTH)), SNIPPET_LENGTH)}`;
}
