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
