/** Search hits with the counts and cost that a list shows. */
import type { Catalog } from "./catalog.ts";
import { optional } from "../lib/values/optional.ts";
import { listedSessions } from "./list.ts";
import type { SessionHit } from "./search/results.ts";
import type { SummaryContext } from "./summary.ts";

/** `counts` as for a list; by default as many as are not too large together. */
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
    const ids = partial.filter((hit) => hit.agent === agent).map(({ sessionId }) => sessionId);
    for (const row of await listedSessions(catalog, ids, optional("counts", counts), context)) {
      const { partial: _, ...hit } = exact.get(row.unifiedId)!;
      exact.set(row.unifiedId, { ...hit, ...row });
    }
  }
  return hits.map(({ unifiedId }) => exact.get(unifiedId)!);
}
