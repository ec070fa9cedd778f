/** One query to all machines and each one's answer. Answers of other machines are checked with these schemas too. */
import * as z from "zod/mini";

/** Which machines answered; `""` is this one. */
export const FleetMachine = z.object({
  machine: z.string(),
  /** Why it did not answer. */
  error: z.optional(z.string()),
});
export type FleetMachine = z.infer<typeof FleetMachine>;

const MAX_ID = 1024;
const MAX_TEXT = 64 * 1024;
/** More than any session has used. */
const MAX_TOKENS = 1e15;
const MAX_USD = 1e9;

const Moment = z.string().check(
  z.maxLength(40),
  z.refine((text) => Number.isFinite(Date.parse(text)), "is no date"),
);
const Id = z.string().check(z.maxLength(MAX_ID));
const Text = z.string().check(z.maxLength(MAX_TEXT));
const Tokens = z.number().check(z.gte(0), z.lte(MAX_TOKENS));
const Usd = z.number().check(z.gte(-MAX_USD), z.lte(MAX_USD));

/** The fields of a past session that are checked; the rest is passed through. */
export const FleetSession = z.looseObject({
  agent: Id,
  sessionId: Id,
  unifiedId: Id,
  title: Text,
  createdAt: Moment,
  updatedAt: Moment,
  turnCount: z.number(),
  messageCount: z.number(),
  model: z.optional(Text),
  cwd: z.optional(Text),
  parentId: z.optional(Id),
  cost: z.optional(
    z.looseObject({
      totalUsd: Usd,
      inputTokens: Tokens,
      outputTokens: Tokens,
      cachedTokens: z.optional(Tokens),
      cacheWriteTokens: z.optional(Tokens),
    }),
  ),
});
export type FleetSession = z.infer<typeof FleetSession>;

const Stretch = z.object({ start: z.number(), end: z.number() });

export const FleetHit = z.looseObject({
  ...FleetSession.shape,
  /** Comparable between machines: it depends only on the session and the query. */
  score: z.optional(z.number()),
  matches: z.array(
    z.looseObject({
      messageIndex: z.number(),
      role: Id,
      part: Id,
      tool: z.optional(Text),
      subagent: z.optional(Text),
      snippet: Text,
      marks: z.array(Stretch),
    }),
  ),
  titleMarks: z.array(Stretch),
  copies: z.number(),
});
export type FleetHit = z.infer<typeof FleetHit>;

/** Machines that hold the session: synchronised homes hold copies. */
const Holders = { machines: z.array(z.string()) };

const Outcome = {
  machines: z.array(FleetMachine),
  /** Some machine did not answer. */
  partial: z.boolean(),
};

export const FleetHistory = z.object({
  ...Outcome,
  sessions: z.array(z.looseObject({ ...FleetSession.shape, ...Holders })),
});

export const FleetHits = z.object({
  ...Outcome,
  hits: z.array(z.looseObject({ ...FleetHit.shape, ...Holders })),
});

const COST_KINDS = ["reported", "computed", "lower-bound", "unpriced", "unknown"] as const;

export const FleetRequest = z.object({
  agent: Id,
  session: Id,
  /** The same in every copy of the request, on every machine. */
  key: Id,
  timestamp: z.optional(Moment),
  model: z.optional(Id),
  cwd: z.optional(Text),
  branch: z.optional(Text),
  inputTokens: Tokens,
  outputTokens: Tokens,
  thinkingTokens: Tokens,
  cachedTokens: Tokens,
  cacheWriteTokens: Tokens,
  cacheWrite1hTokens: Tokens,
  usd: Usd,
  kind: z.enum(COST_KINDS),
  /** The agent marks it as made in another session. */
  copied: z.optional(z.boolean()),
});
export type FleetRequest = z.infer<typeof FleetRequest>;

const TokenSums = {
  totalUsd: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  thinkingTokens: z.number(),
  cachedTokens: z.number(),
  cacheWriteTokens: z.number(),
  cacheWrite1hTokens: z.number(),
};

const Prices = z.object({ version: Id, digest: Id });

const Rate = z.optional(z.number());

/** The same with everything that explains its figure. */
export const ExplainedRequest = z.object({
  ...FleetRequest.shape,
  subagent: z.optional(Id),
  webSearches: z.optional(z.number()),
  price: z.optional(
    z.object({
      model: Id,
      vendor: Id,
      input: z.number(),
      output: z.number(),
      cacheRead: Rate,
      cacheWrite: Rate,
      cacheWrite1h: Rate,
      webSearch: Rate,
      tier: Rate,
      multiplier: z.number(),
      modifiers: z.optional(z.array(Id)),
    }),
  ),
  note: z.optional(Text),
});
export type ExplainedRequest = z.infer<typeof ExplainedRequest>;

export const FleetDropped = z.object({
  agent: Id,
  session: Id,
  key: Id,
  timestamp: z.optional(Moment),
  model: z.optional(Id),
  owner: Id,
});
export type FleetDropped = z.infer<typeof FleetDropped>;

/** One machine's sums by session and tag: sessions without token counts appear only here. */
export const LedgerSummary = z.object({
  runCount: z.number(),
  skipped: z.number(),
  prices: Prices,
  breakdowns: z.optional(
    z.record(
      z.string(),
      z.object({
        ...TokenSums,
        requestCount: z.number(),
        kind: z.enum(COST_KINDS),
        breakdowns: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
});

/** One machine's ledger. Copies it did not count are included only for an explanation. */
export interface MachineLedger {
  requests: ExplainedRequest[];
  dropped: FleetDropped[];
  summary: z.infer<typeof LedgerSummary>;
}

const Figures = { ...TokenSums, requestCount: z.int(), sessionCount: z.int() };

/** A cost report with each machine's share. */
export const FleetCost = z.looseObject({
  ...Figures,
  partial: z.boolean(),
  machines: z.array(
    z.object({
      ...FleetMachine.shape,
      ...Figures,
      /** Requests it holds that count for another machine. */
      duplicates: z.int(),
      prices: z.optional(Prices),
    }),
  ),
});

/** The requests behind it, each with the machine it counts for and all that hold it. */
export const FleetExplanation = z.object({
  summary: FleetCost,
  requests: z.array(z.looseObject({ ...ExplainedRequest.shape, machine: z.string(), ...Holders })),
  dropped: z.array(z.looseObject({ ...FleetDropped.shape, ...Holders })),
});
