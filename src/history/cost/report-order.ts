/** The order of a report's groups, and the certainty of its sum. */
import type { CostBreakdown, CostKind, CostSummary } from "../../core/cost.ts";
import { COST_KINDS } from "./cost-item.ts";
import { isDateGroup } from "./grouping.ts";

/** Days in order, everything else most expensive first. */
export function inOrder(
  breakdowns: Record<string, CostBreakdown> | undefined,
  group: string | undefined,
): CostBreakdown[] {
  const all = Object.values(breakdowns ?? {});
  return group !== undefined && isDateGroup(group) ? all : all.sort((a, b) => b.totalUsd - a.totalUsd);
}

export function weakestKind({ kinds }: CostSummary): CostKind {
  return COST_KINDS.findLast((kind) => kinds[kind].requests > 0) ?? "reported";
}
