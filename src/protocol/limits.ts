/** Usage limits of accounts, as agents report them. */
import * as z from "zod/mini";

const Share = { percent: z.number() };

export const Limit = z.object({
  agent: z.string(),
  account: z.optional(z.string()),
  plan: z.optional(z.string()),
  /** `5h`, `7d`, or with what it is for. */
  window: z.string(),
  minutes: z.optional(z.number()),
  /** Can exceed 100. */
  used_percent: z.number(),
  as_of: z.string(),
  resets_at: z.optional(z.string()),
  /** It was reset since: the figure is of the window before. */
  is_reset: z.boolean(),
  /** Used share ÷ elapsed share: above 1, it will not last. */
  pace: z.optional(z.number()),
  /** Projects and sessions by their share of the agent's cost on this machine since the window began. */
  used_by: z.optional(
    z.array(
      z.object({
        project: z.string(),
        ...Share,
        sessions: z.array(z.object({ id: z.string(), title: z.optional(z.string()), ...Share })),
      }),
    ),
  ),
  /** Used at the reset, from the slower to the faster pace; when it is used up, earliest and latest. */
  forecast: z.optional(z.object({ percent: z.array(z.number()), full_at: z.optional(z.array(z.string())) })),
});
export type Limit = z.infer<typeof Limit>;

/** A request that a limit refused. */
export const LimitRefusal = z.object({
  agent: z.string(),
  account: z.optional(z.string()),
  /** The window, as the agent names it. */
  kind: z.optional(z.string()),
  at: z.string(),
  resets_at: z.optional(z.string()),
  /** The agent's own session id. */
  session: z.optional(z.string()),
});
export type LimitRefusal = z.infer<typeof LimitRefusal>;

export const BudgetUse = z.object({
  /** `today: $19.00 of $20.00 used`. */
  text: z.string(),
  /** Absent if the budget is of a limit that is unknown. */
  share_percent: z.optional(z.number()),
  level: z.enum(["ok", "warn", "over", "unknown"]),
});
export type BudgetUse = z.infer<typeof BudgetUse>;

export const LimitsAnswer = z.object({
  limits: z.array(Limit),
  /** Of limits that are not reset yet, newest first. Older daemons have none. */
  refusals: z.optional(z.array(LimitRefusal)),
  /** The user's budgets, as of the last minute's check. */
  budgets: z.array(BudgetUse),
  /** Agents whose limits are unknown, and how they become known. */
  unknown: z.array(z.object({ agent: z.string(), hint: z.string() })),
});
export type LimitsAnswer = z.infer<typeof LimitsAnswer>;
