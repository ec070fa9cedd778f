/** Options shared by queries to this machine and to all of them. */
import { COST_GROUPS } from "../history/cost/grouping.ts";
import type { OptionSpec } from "./command.ts";

export const COST_GROUP_OPTION: OptionSpec = {
  name: "group-by",
  value: "fields",
  description: "one row per value; separate several with commas to nest them",
  choices: COST_GROUPS,
  list: true,
};

const DEFAULT_HITS = 50;

export const SEARCH_OPTIONS: readonly OptionSpec[] = [
  { name: "limit", value: "n", description: `at most this many sessions (default ${DEFAULT_HITS})` },
  { name: "sort", value: "field", description: "order (default relevance)", choices: ["relevance", "date", "cost"] },
];

/** Printed below this many hits: checking for one more would take another search. */
export function noteOfHits(found: number, limit: number | undefined): string | undefined {
  if (found === 0) return "No session matches.";
  return found === (limit ?? DEFAULT_HITS) ? `Showing ${found}; use --limit for more.` : undefined;
}
