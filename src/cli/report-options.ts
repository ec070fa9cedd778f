/** Options shared by queries to this machine and to all of them. */
import { typedQuery } from "../history/search/typed-query.ts";
import type { Invocation, OptionSpec } from "./command.ts";

export const DEFAULT_HITS = 50;

export const SEARCH_OPTIONS: readonly OptionSpec[] = [
  { name: "limit", value: "n", description: `at most this many sessions (default ${DEFAULT_HITS})` },
  { name: "sort", value: "field", description: "order (default relevance)", choices: ["relevance", "date", "cost"] },
];

/** The query as it was meant, and the tags in it beside those of `--tag`. */
export function typedIn(invocation: Invocation): { text: string; tags?: string[] } {
  const [typed = ""] = invocation.arguments;
  const given = invocation.texts("tag");
  const { text, tags } = invocation.flag("exact") ? { text: typed, tags: [] } : typedQuery(typed);
  const all = [...given, ...tags];
  return all.length === 0 ? { text } : { text, tags: all };
}

/** Printed below this many hits: checking for one more would take another search. */
export function noteOfHits(found: number, limit: number | undefined): string | undefined {
  if (found === 0) return "No session matches.";
  return found === (limit ?? DEFAULT_HITS) ? `Showing ${found}; use --limit for more.` : undefined;
}
