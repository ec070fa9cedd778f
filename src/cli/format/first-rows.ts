/** A list for people is asked for one row more than it shows: so it is known whether there are more. */

/** As much as a limit may be anywhere. */
const MOST = 999_999_999;

/** What to ask for. */
export function withOneMore(limit: number): number {
  return Math.min(limit + 1, MOST);
}

/** What to show of it; a note if that is not all. */
export function firstRows<Row>(found: readonly Row[], limit: number): { rows: readonly Row[]; note?: string } {
  if (found.length <= limit) return { rows: found };
  return { rows: found.slice(0, limit), note: `Showing ${limit}; use --limit for more.` };
}
