/** What a search gives. */
import type { SessionSummary } from "../../core/session.ts";
import type { Place, Stretch } from "./snippets.ts";

/** A message in which words of the query were found, and the text around them. */
export type SearchMatch = Place;

/** A session that was found, with the places where. */
export interface SessionHit extends SessionSummary {
  /** The best few, in the order of the conversation; none when only the title matches. */
  matches: SearchMatch[];
  /** Words of the query in the title. */
  titleMarks: Stretch[];
  /** Further sessions of the same chain (forks, resumed copies) that were found and are not listed themselves. */
  copies: number;
  /** What `relevanceScore` was made of; it depends on the session and the query alone, so machines can compare it. */
  score?: number;
}
