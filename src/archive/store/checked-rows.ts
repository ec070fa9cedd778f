/**
 * Checks rows that others pushed: an invalid row costs its session, not the answer. Fields that matter only on one machine are
 * dropped, so that nobody can retitle another's session.
 */
import * as z from "zod";
import type { ReportedTotal, SessionHead, UsageRecord } from "../../agents/adapter.ts";
import type { SessionMessage } from "../../core/session.ts";
import type { Run } from "../../history/run-index.ts";
import type { SubagentFacts, MessageRow, SessionRow, UsageRow } from "./rows.ts";

/** Limit of a Date. */
const MAX_MS = 8.64e15;
const Moment = z.number().min(-MAX_MS).max(MAX_MS);
const Count = z.number().int().nonnegative();

const Head = z.object({
  title: z.string(),
  createdMs: Moment.optional(),
  updatedMs: Moment.optional(),
  model: z.string().optional(),
  cwd: z.string().optional(),
  branch: z.string().optional(),
  agentVersion: z.string().optional(),
  archived: z.boolean().optional(),
  forkedFrom: z.string().optional(),
  parentId: z.string().optional(),
  familyKeys: z.array(z.string()).optional(),
  startedMs: Moment.optional(),
  usageUnknown: z.boolean().optional(),
}) as z.ZodType<SessionHead>;

const Total = z.object({
  at: Moment.optional(),
  covers: Count,
  byModel: z.record(z.string(), z.number()),
}) as z.ZodType<ReportedTotal>;

const Session = z.looseObject({
  created_ms: Moment,
  updated_ms: Moment,
  message_count: Count,
  turn_count: Count,
  head: Head,
  whole_head: Head,
  totals: z.array(Total).nullable(),
});

const Cost = z.looseObject({ totalUsd: z.number(), inputTokens: z.number(), outputTokens: z.number() });
const Details = z.looseObject({
  content: z.string().optional(),
  thinking: z.string().optional(),
  model: z.string().optional(),
  timestamp: z.never().optional(),
  role: z.never().optional(),
  toolCalls: z
    .array(z.looseObject({ toolCallId: z.string(), toolName: z.string(), durationMs: z.number().optional() }))
    .optional(),
  toolResult: z.looseObject({ toolCallId: z.string(), toolName: z.string() }).optional(),
  tokenUsage: z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
  cost: Cost.optional(),
  inherited: z.boolean().optional(),
}) as unknown as z.ZodType<Partial<SessionMessage>>;

const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system", "tool"]),
  at_ms: Moment.nullable(),
  details: Details,
});

const Usage = z.looseObject({
  at_ms: z.number().nullable(),
  details: z.object({
    reportedMicroUsd: z.number().optional(),
    lowerBound: z.boolean().optional(),
    unknown: z.boolean().optional(),
    copied: z.boolean().optional(),
    subagent: z.string().optional(),
    cwd: z.string().optional(),
    branch: z.string().optional(),
    modifiers: z.array(z.string()).optional(),
    webSearches: z.number().optional(),
  }) as z.ZodType<Partial<UsageRecord>>,
});

const Subagent = z.looseObject({
  id: z.string(),
  label: z.string().optional(),
  toolCallId: z.string().optional(),
  model: z.string().optional(),
}) as unknown as z.ZodType<SubagentFacts>;

const RunRecord = z.looseObject({
  runId: z.string(),
  agent: z.string(),
  sessionId: z.string().optional(),
  model: z.string().optional(),
  at: Moment.optional(),
  tags: z.array(z.string()),
  cost: Cost.optional(),
}) as unknown as z.ZodType<Run>;

/** Each returns undefined for an invalid row. */
export function checkedSession(row: SessionRow): SessionRow | undefined {
  return Session.safeParse(row).data as SessionRow | undefined;
}

export function checkedMessage(row: MessageRow): MessageRow | undefined {
  return Message.safeParse(row).data as MessageRow | undefined;
}

export function checkedUsage(row: UsageRow): UsageRow | undefined {
  return Usage.safeParse(row).data as UsageRow | undefined;
}

export function checkedSubagent(value: unknown): SubagentFacts | undefined {
  return Subagent.safeParse(value).data;
}

export function checkedRun(value: unknown): Run | undefined {
  return RunRecord.safeParse(value).data;
}
