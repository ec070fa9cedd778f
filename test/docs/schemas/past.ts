/** What commands about past sessions and their cost print with `--json`. */
import * as z from "zod";
import { FleetMachine } from "../../../src/protocol/fleet.ts";

export const Time = z.iso.datetime();

export const BudgetState = z.strictObject({
  per: z.string(),
  amount: z.number(),
  project: z.string().optional(),
  warn_percent: z.number(),
  stops: z.boolean(),
  used: z.number().optional(),
  share_percent: z.number().optional(),
  level: z.enum(["ok", "warn", "over", "unknown"]),
  session: z.string().optional(),
  agent: z.string().optional(),
  account: z.string().optional(),
});
const Count = z.int().min(0);

const Failed = z.strictObject({ path: z.string(), reason: z.string() });
const Synced = {
  copied: Count,
  copiedBytes: Count,
  unchanged: Count,
  changing: Count,
  dropped: Count,
  tooLarge: z.array(z.string()),
  failed: z.array(Failed),
};

const CostKind = z.enum(["reported", "computed", "lower-bound", "unpriced", "unknown"]);
/** Absent when they are not known. */
const Tokens = {
  inputTokens: Count,
  outputTokens: Count,
  thinkingTokens: Count.optional(),
  cachedTokens: Count.optional(),
  cacheWriteTokens: Count.optional(),
  cacheWrite1hTokens: Count.optional(),
};
const CostFigures = { totalUsd: z.number(), ...Tokens, kind: CostKind.optional() };
export const Cost = z.strictObject({ ...CostFigures, subagents: z.strictObject(CostFigures).optional() });

const Facts = {
  agent: z.string(),
  sessionId: z.string(),
  unifiedId: z.string(),
  title: z.string(),
  createdAt: Time,
  updatedAt: Time,
  turnCount: Count.optional(),
  messageCount: Count.optional(),
  model: z.string().optional(),
  cost: Cost.optional(),
  tags: z.array(z.string()),
  cwd: z.string().optional(),
  forkedFrom: z.string().optional(),
  parentId: z.string().optional(),
  branch: z.string().optional(),
  agentVersion: z.string().optional(),
  archived: z.boolean().optional(),
  inVault: z.literal(true).optional(),
  starred: z.literal(true).optional(),
  memory: z.literal(true).optional(),
  redacted: z.number().int().nonnegative().optional(),
};
const Summary = { ...Facts, partial: z.boolean().optional(), relevanceScore: z.number().optional() };

const Role = z.enum(["user", "assistant", "system", "tool"]);
const Message = z.strictObject({
  role: Role,
  content: z.string(),
  timestamp: Time.optional(),
  toolCalls: z
    .array(
      z.strictObject({
        toolCallId: z.string(),
        toolName: z.string(),
        input: z.unknown(),
        output: z.unknown().optional(),
        durationMs: z.number().optional(),
        isError: z.boolean().optional(),
      }),
    )
    .optional(),
  toolResult: z
    .strictObject({
      toolCallId: z.string(),
      toolName: z.string(),
      output: z.unknown(),
      isError: z.boolean().optional(),
    })
    .optional(),
  tokenUsage: z.strictObject(Tokens).optional(),
  cost: Cost.optional(),
  thinking: z.string().optional(),
  images: z.array(z.strictObject({ mediaType: z.string(), data: z.string() })).optional(),
  model: z.string().optional(),
  inherited: z.boolean().optional(),
});

const Session = z.strictObject({
  ...Facts,
  messages: z.array(Message),
  subagents: z
    .array(
      z.strictObject({
        id: z.string(),
        label: z.string().optional(),
        toolCallId: z.string().optional(),
        model: z.string().optional(),
        messages: z.array(Message),
      }),
    )
    .optional(),
  raw: z.unknown().optional(),
});

const Marks = z.array(z.strictObject({ start: Count, end: Count }));
const Hit = {
  ...Summary,
  matches: z
    .array(
      z.strictObject({
        messageIndex: Count,
        role: Role,
        timestamp: Time.optional(),
        subagent: z.string().optional(),
        part: z.string(),
        tool: z.string().optional(),
        snippet: z.string(),
        marks: Marks,
      }),
    )
    .optional(),
  titleMarks: Marks,
  copies: Count,
  score: z.number().optional(),
};

/** With `--peers`: the machines that hold it, and which machines answered. */
const Holders = { machines: z.array(z.string()) };
const Fleet = { machines: z.array(FleetMachine), partial: z.boolean() };

const RequestTokens = {
  inputTokens: Count,
  outputTokens: Count,
  thinkingTokens: Count,
  cachedTokens: Count,
  cacheWriteTokens: Count,
  cacheWrite1hTokens: Count,
};
const Sums = { totalUsd: z.number(), ...RequestTokens, sessionCount: Count, requestCount: Count };
const Breakdown: z.ZodType = z.strictObject({
  ...Sums,
  key: z.string(),
  title: z.string().optional(),
  kind: CostKind,
  breakdowns: z
    .record(
      z.string(),
      z.lazy(() => Breakdown),
    )
    .optional(),
});
const Prices = z.strictObject({ version: z.string(), digest: z.string() });
const SummaryOfCost = {
  ...Sums,
  runCount: Count,
  kinds: z.record(CostKind, z.strictObject({ requests: Count, usd: z.number() })),
  groupBy: z.array(z.string()).optional(),
  breakdowns: z.record(z.string(), Breakdown).optional(),
  timeZone: z.string().optional(),
  skipped: Count,
  prices: Prices,
};
/** Only with `--peers`. */
const MachineCosts = {
  partial: z.boolean().optional(),
  machines: z
    .array(z.strictObject({ ...FleetMachine.shape, ...Sums, duplicates: Count, prices: Prices.optional() }))
    .optional(),
};
const CostSummary = z.strictObject({ ...SummaryOfCost, ...MachineCosts });
const Request = {
  agent: z.string(),
  session: z.string(),
  key: z.string(),
  timestamp: Time.optional(),
  model: z.string().optional(),
};
const CostExplanation = z.strictObject({
  summary: CostSummary,
  requests: z.array(
    z.strictObject({
      ...Request,
      ...RequestTokens,
      cwd: z.string().optional(),
      branch: z.string().optional(),
      subagent: z.string().optional(),
      webSearches: Count.optional(),
      usd: z.number(),
      kind: CostKind,
      price: z
        .strictObject({
          model: z.string(),
          vendor: z.string(),
          input: z.number(),
          output: z.number(),
          cacheRead: z.number().optional(),
          cacheWrite: z.number().optional(),
          cacheWrite1h: z.number().optional(),
          webSearch: z.number().optional(),
          tier: z.number().optional(),
          multiplier: z.number(),
          modifiers: z.array(z.string()).optional(),
        })
        .optional(),
      note: z.string().optional(),
      copied: z.boolean().optional(),
      machine: z.string().optional(),
      machines: z.array(z.string()).optional(),
    }),
  ),
  dropped: z.array(z.strictObject({ ...Request, owner: z.string(), machines: z.array(z.string()).optional() })),
});

const Labelled = z.strictObject({
  unifiedId: z.string(),
  tags: z.array(z.string()),
  starred: z.boolean(),
  name: z.string().optional(),
});
/** With `--worktree`. */
const Made = { worktree: z.string().optional(), branch: z.string().optional() };
/** What runs now: here, or on another machine. */
export const Started = z.union([
  z.strictObject({ id: z.string(), socket_path: z.string(), ...Made }),
  z.strictObject({ id: z.string(), peer: z.string(), ...Made }),
]);
/** The command with `--dry-run`, else what it started. */
const Reopened = z.union([
  z.strictObject({
    agent: z.string(),
    sessionId: z.string(),
    action: z.string(),
    cwd: z.string(),
    command: z.array(z.string()),
    inVault: z.literal(true).optional(),
  }),
  Started,
]);
const Compared = z.strictObject({ agent: z.string(), sessionId: z.string(), unifiedId: z.string() });

export const PAST_SCHEMAS: Record<string, z.ZodType> = {
  "sessions list": z.union([
    z.array(z.strictObject(Summary)),
    z.strictObject({ ...Fleet, sessions: z.array(z.strictObject({ ...Summary, ...Holders })) }),
  ]),
  "sessions search": z.union([
    z.array(z.strictObject(Hit)),
    z.strictObject({ ...Fleet, hits: z.array(z.strictObject({ ...Hit, ...Holders })) }),
  ]),
  "sessions show": Session,
  "sessions export": Session,
  "sessions diff": z.strictObject({
    a: Compared,
    b: Compared,
    operations: z.array(
      z.strictObject({
        type: z.enum(["addition", "removal", "modification", "unchanged"]),
        indexA: Count.optional(),
        indexB: Count.optional(),
        messageA: Message.optional(),
        messageB: Message.optional(),
      }),
    ),
    stats: z.strictObject({ removals: Count, additions: Count, modifications: Count, unchanged: Count }),
  }),
  "sessions resume": Reopened,
  "sessions fork": Reopened,
  "sessions tag": Labelled,
  "sessions star": Labelled,
  "sessions rename": Labelled,
  "cost report": z.union([
    z.strictObject({
      ...SummaryOfCost,
      ...MachineCosts,
      before: CostSummary.optional(),
      budgets: z.array(BudgetState).optional(),
    }),
    CostExplanation,
  ]),
  "index status": z.strictObject({
    path: z.string(),
    exists: z.boolean(),
    bytes: Count,
    building: z.boolean(),
    copied: z.boolean(),
    agents: z.array(
      z.strictObject({
        agent: z.string(),
        sessions: Count,
        current: Count,
        outdated: Count,
        missing: Count,
        bytesToRead: Count,
      }),
    ),
  }),
  "index build": z.strictObject({
    added: Count,
    removed: Count,
    unchanged: Count,
    stopped: z.enum(["time", "space", "busy"]).optional(),
  }),
  "vault enable": z.strictObject({ directory: z.string(), maxBytes: Count, bytes: Count, ...Synced }),
  "vault disable": z.strictObject({ enabled: z.literal(false), deleted: z.boolean() }),
  "vault status": z.strictObject({
    directory: z.string(),
    enabled: z.boolean(),
    maxBytes: Count,
    bytes: Count,
    unpackedBytes: Count,
    originalBytes: Count,
    sessions: Count,
    files: Count,
    onlyInVault: Count,
    syncedAt: Time.optional(),
    dropped: Count,
    tooLarge: Count,
    unreadable: Count,
    agents: z.array(z.strictObject({ agent: z.string(), sessions: Count, onlyInVault: Count, originalBytes: Count })),
  }),
  "vault list": z.array(
    z.strictObject({
      agent: z.string(),
      sessionId: z.string(),
      updatedAt: Time,
      inVaultOnly: z.boolean(),
      files: z.array(z.strictObject({ path: z.string(), size: Count, modifiedAt: Time })),
    }),
  ),
  "vault sync": z.strictObject(Synced),
  "vault restore": z.array(
    z.strictObject({
      path: z.string(),
      state: z.enum(["restored", "present", "differs", "damaged"]),
      reason: z.string().optional(),
    }),
  ),
  "vault verify": z.strictObject({ files: Count, damaged: z.array(Failed) }),
  "vault remove": z.strictObject({ agent: z.string(), sessionId: z.string(), lost: z.boolean() }),
  "index clear": z.strictObject({ cleared: z.boolean() }),
  "index path": z.strictObject({ path: z.string() }),
};
