/** What was found by a search, with the counts and the cost that a list would tell. */
import type { Catalog } from "./catalog.ts";
import { completed } from "./list.ts";
import type { SessionHit } from "./search/hit.ts";
import { summaryOf, type SummaryContext } from "./summary.ts";

/** `counts` as for a list: left out, as many as are not too large together. */
export async function countedHits(
  hits: readonly SessionHit[],
  catalogs: readonly Catalog[],
  counts: boolean | undefined,
  context: SummaryContext,
): Promise<SessionHit[]> {
  const partial = hits.filter((hit) => hit.partial);
  const exact = new Map(hits.map((hit) => [hit.unifiedId, hit]));
  for (const agent of new Set(partial.map((hit) => hit.agent))) {
    const catalog = catalogs.find(({ adapter }) => adapter.name === agent)!;
    const entries = await catalog.entries();
    const rows = partial
      .filter((hit) => hit.agent === agent)
      .flatMap(({ sessionId }) => entries.get(sessionId) ?? [])
      .map(({ source, head }) => summaryOf(agent, source, head, context));
    const asked = counts === undefined ? {} : { counts };
    for (const row of await completed(catalog, rows, asked, context)) {
      const { partial: _, ...hit } = exact.get(row.unifiedId)!;
      exact.set(row.unifiedId, { ...hit, ...row });
    }
  }
  return hits.map(({ unifiedId }) => exact.get(unifiedId)!);
}
