/** Lists fetch one row more than they show, to know whether there are more. */

/** Upper bound of any limit. */
const MOST = 999_999_999;

/** The limit to request. */
export function withOneMore(limit: number): number {
  return Math.min(limit + 1, MOST);
}

/** The rows to show, and a note if there are more. */
export function firstRows<Row>(found: readonly Row[], limit: number): { rows: readonly Row[]; note?: string } {
  if (found.length <= limit) return { rows: found };
  return { rows: found.slice(0, limit), note: `Showing ${limit}; use --limit for more.` };
}
