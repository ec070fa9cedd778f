/** A budget that is nearly or wholly used up. */
export interface BudgetWarning {
  /** The same for the same budget: `budget-` and a hash. */
  id: string;
  /** `Budget for today`. */
  name: string;
  level: "warn" | "over";
  /** What is used, and how to raise it. */
  text: string;
  /** Of this level; in milliseconds since the epoch. */
  since: number;
  /** End of its period. */
  until?: number;
  project?: string;
}
