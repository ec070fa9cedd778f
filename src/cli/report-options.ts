/** Options that a question has alike, whether it goes to this machine or to all of them. */
import { COST_GROUPS } from "../sessions/cost/grouping.ts";
import type { OptionSpec } from "./command.ts";

export const COST_GROUP_OPTION: OptionSpec = {
  name: "group-by",
  value: "fields",
  description: "a line for each; several, with commas, are nested",
  choices: COST_GROUPS,
  list: true,
};

export const SEARCH_OPTIONS: readonly OptionSpec[] = [
  { name: "limit", value: "n", description: "at most this many sessions (default 50)" },
  { name: "sort", value: "field", description: "order (default relevance)", choices: ["relevance", "date", "cost"] },
];
