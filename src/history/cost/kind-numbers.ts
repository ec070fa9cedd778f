/** Kinds of figures by the numbers that stand for them in columns. */
import type { CostKind } from "../../core/cost.ts";

export const COST_KINDS: readonly CostKind[] = ["reported", "computed", "lower-bound", "unpriced", "unknown"];
