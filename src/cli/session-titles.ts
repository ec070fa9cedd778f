/** Titles of sessions by their unified ids, of one agent or of all. */
import type { CostExplanationOptions } from "../history/options.ts";
import { optional } from "../lib/values/optional.ts";
import type { QueryClient } from "./archive-options.ts";

export async function titlesOf(
  { sessions }: Pick<QueryClient, "sessions">,
  { agent, index }: Pick<CostExplanationOptions, "agent" | "index">,
): Promise<Map<string, string>> {
  const options = { limit: Number.POSITIVE_INFINITY, counts: false, ...optional("index", index) };
  const rows = await (agent === undefined ? sessions.listAll(options) : sessions.list(agent, options));
  return new Map(rows.map(({ unifiedId, title }) => [unifiedId, title]));
}
