/** One question to all machines, and what came back from each. */
import * as z from "zod/mini";

/** Which machines answered; `""` is this one. */
export const FleetMachine = z.object({
  machine: z.string(),
  /** Why it did not answer. */
  error: z.optional(z.string()),
});
export type FleetMachine = z.infer<typeof FleetMachine>;

/** A hit as far as it has to be understood; the rest is passed on. */
export const FleetHit = z.looseObject({
  unifiedId: z.string().check(z.maxLength(1024)),
  title: z.string(),
  /** Comparable between machines: it depends on nothing but the session and the query. */
  score: z.optional(z.number()),
});
export type FleetHit = z.infer<typeof FleetHit>;

export const FleetHits = z.object({
  machines: z.array(FleetMachine),
  /** Some machine is missing. */
  partial: z.boolean(),
  /** `machines` are those that hold the session: synchronised homes hold copies. */
  hits: z.array(z.looseObject({ unifiedId: z.string(), machines: z.array(z.string()) })),
});

export const FleetRequest = z.object({
  agent: z.string().check(z.maxLength(64)),
  session: z.string().check(z.maxLength(1024)),
  /** The same in every copy of the request, on whatever machine. */
  key: z.string().check(z.maxLength(1024)),
  model: z.optional(z.string().check(z.maxLength(256))),
  inputTokens: z.number(),
  outputTokens: z.number(),
  usd: z.number(),
});
export type FleetRequest = z.infer<typeof FleetRequest>;

const Figures = z.object({
  totalUsd: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  requestCount: z.int(),
  sessionCount: z.int(),
});

export const FleetCost = z.object({
  ...Figures.shape,
  partial: z.boolean(),
  /** What each machine was the first to tell, and how many requests it held that others had told before. */
  machines: z.array(z.object({ ...FleetMachine.shape, ...Figures.shape, duplicates: z.int() })),
});
export type FleetCost = z.infer<typeof FleetCost>;
