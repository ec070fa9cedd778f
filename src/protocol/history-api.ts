/** Answers about past sessions and models. */
import * as z from "zod/mini";

/** A row of `GET /v1/models`; rates are dollars per million tokens. */
export const PricedModel = z.object({
  id: z.string(),
  vendor: z.string(),
  rates: z.looseObject({ input: z.number(), output: z.number(), cacheRead: z.optional(z.number()) }),
  longContextAbove: z.optional(z.number()),
  multipliers: z.record(z.string(), z.number()),
});
export type PricedModel = z.infer<typeof PricedModel>;

/** Number of sessions with one value of a filter. */
const Facet = z.object({ key: z.string(), count: z.int() });
export type Facet = z.infer<typeof Facet>;

/** Answer of `GET /v1/history/facets`; most frequent first, days newest first. */
export const Facets = z.object({
  total: z.int(),
  agents: z.array(Facet),
  projects: z.array(Facet),
  models: z.array(Facet),
  days: z.array(Facet),
});
export type Facets = z.infer<typeof Facets>;

/** Answer of `GET /v1/history/progress`: sessions that the search reads because the index lacks them. */
export const SearchProgress = z.object({ done: z.int(), total: z.int() });
export type SearchProgress = z.infer<typeof SearchProgress>;

/** Answer of `GET /v1/overview`. */
export const Overview = z.object({
  since: z.string(),
  time_zone: z.string(),
  /** Days with activity, oldest first. */
  days: z.array(
    z.object({
      day: z.string(),
      sessions: z.int(),
      requests: z.int(),
      usd: z.number(),
      output_tokens: z.int(),
    }),
  ),
  /** Conversations that changed since then, newest first; the first few hundred. */
  changed: z.array(
    z.object({
      unified_id: z.string(),
      agent: z.string(),
      title: z.string(),
      cwd: z.optional(z.string()),
      created_at: z.string(),
      updated_at: z.string(),
      /** Started since then. */
      is_new: z.boolean(),
    }),
  ),
  changed_count: z.int(),
  /** The same by directory, with the cost since then. */
  projects: z.array(z.object({ path: z.string(), sessions: z.int(), usd: z.number(), requests: z.int() })),
  usd: z.number(),
  requests: z.int(),
});
export type Overview = z.infer<typeof Overview>;
