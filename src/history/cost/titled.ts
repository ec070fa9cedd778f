/** A cost report with the titles of its sessions. */
import type { CostBreakdown } from "../../core/cost.ts";
import { optional } from "../../lib/values/optional.ts";

/** `groupBy` are the groupings of the rows, outermost first. A session without a title has an empty one. */
export function titled(
  breakdowns: Record<string, CostBreakdown> | undefined,
  [group, ...below]: readonly string[],
  titles: ReadonlyMap<string, string>,
): Record<string, CostBreakdown> {
  const entries = Object.entries(breakdowns ?? {}).map(([key, row]): [string, CostBreakdown] => [
    key,
    {
      ...row,
      ...optional("title", group === "session" ? (titles.get(key) ?? "") : undefined),
      ...(row.breakdowns === undefined ? {} : { breakdowns: titled(row.breakdowns, below, titles) }),
    },
  ]);
  return Object.fromEntries(entries);
}
