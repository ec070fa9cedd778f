/** The orders of a session list, for one machine and for several. */
import type { CostRecord } from "../core/cost.ts";

export const LIST_SORTS = ["date", "cost", "turns", "duration", "tokens", "title"] as const;
export type ListSort = (typeof LIST_SORTS)[number];

type Figure = "totalUsd" | "inputTokens" | "outputTokens" | "cachedTokens" | "cacheWriteTokens";
type Figures = { [Name in Figure]?: CostRecord[Name] | undefined };

/** A session here, or as another machine sent it. */
export interface Listed {
  title: string;
  createdAt: Date | string | number;
  updatedAt: Date | string | number;
  turnCount: number;
  cost?: Figures | undefined;
}

type Value = number | string;

const VALUES: Readonly<Record<ListSort, (row: Listed) => Value>> = {
  date: ({ updatedAt }) => msOf(updatedAt),
  cost: ({ cost }) => cost?.totalUsd ?? 0,
  turns: ({ turnCount }) => turnCount,
  duration: ({ createdAt, updatedAt }) => msOf(updatedAt) - msOf(createdAt),
  tokens: ({ cost }) => tokensOf(cost),
  title: ({ title }) => title,
};

/** Everything that was sent and received, cached or not. Thinking is part of the output. */
export function tokensOf(cost: Figures | undefined): number {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = cost ?? {};
  return inputTokens + outputTokens + cachedTokens + cacheWriteTokens;
}

/** Whether the order depends on the whole session. */
export function needsCounts(sort: ListSort | undefined): boolean {
  return sort === "cost" || sort === "turns" || sort === "tokens";
}

/** Highest first, titles from A to Z, unless a direction is given. Equal ones are equal. */
export function listOrder(sort: ListSort = "date", direction?: "asc" | "desc"): (a: Listed, b: Listed) => number {
  const [value, compare] = [VALUES[sort], comparing(sort, direction)];
  return (a, b) => compare(value(a), value(b));
}

/** The same with equal ones by id. Each value is taken once. */
export function sorted<Row extends Listed & { unifiedId: string }>(
  rows: readonly Row[],
  { sort = "date", sortDirection }: { sort?: ListSort; sortDirection?: "asc" | "desc" },
): Row[] {
  const compare = comparing(sort, sortDirection);
  return rows
    .map((row) => ({ row, value: VALUES[sort](row) }))
    .sort((a, b) => compare(a.value, b.value) || (a.row.unifiedId < b.row.unifiedId ? -1 : 1))
    .map(({ row }) => row);
}

function comparing(
  sort: ListSort,
  direction: "asc" | "desc" = sort === "title" ? "asc" : "desc",
): (a: Value, b: Value) => number {
  const sign = direction === "asc" ? 1 : -1;
  if (sort !== "title") return (a, b) => sign * (Number(a) - Number(b));
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return (a, b) => sign * compare(String(a), String(b));
}

function msOf(date: Date | string | number): number {
  return typeof date === "string" ? Date.parse(date) : Number(date);
}
