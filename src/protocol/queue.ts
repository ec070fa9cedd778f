/** Prompts that wait for a session, and prompts that start one. The session's own process delivers them. */
import * as z from "zod/mini";
import { MAX_PROMPT, PROMPT_RECEIPTS, PROMPT_STATES } from "../core/queue.ts";

export const QueuedPrompt = z.object({
  /** `q-` and six characters. */
  id: z.string(),
  text: z.string(),
  /** `idle`, `reset`, a moment in UTC, or a schedule like `weekdays 09:00` in the machine's own time. */
  when: z.string(),
  state: z.enum(PROMPT_STATES),
  paused: z.optional(z.literal(true)),
  created_at: z.string(),
  /** Absent: as soon as the session is idle, or the reset is not known yet. */
  due_at: z.optional(z.string()),
  /** Why it waits or is held. */
  note: z.optional(z.string()),
  /** The last time, if it repeats. */
  delivered_at: z.optional(z.string()),
  receipt: z.optional(z.enum(PROMPT_RECEIPTS)),
});
export type QueuedPrompt = z.infer<typeof QueuedPrompt>;

export const PromptQueueAnswer = z.object({
  session: z.string(),
  paused: z.boolean(),
  /** Oldest first; the last delivered ones are kept for their receipts. */
  items: z.array(QueuedPrompt),
});
export type PromptQueueAnswer = z.infer<typeof PromptQueueAnswer>;

const PromptText = z.string().check(z.minLength(1), z.maxLength(MAX_PROMPT));
const WhenText = z.string().check(z.minLength(1), z.maxLength(100));
const ItemId = z.string().check(z.maxLength(20));

/** `when` is `idle` by default. */
export const QueueRequest = z.object({ text: PromptText, when: z.optional(WhenText) });
export type QueueRequest = z.infer<typeof QueueRequest>;

/** Without an item: pauses or continues the session's whole queue. */
export const QueueChange = z.object({
  item: z.optional(ItemId),
  text: z.optional(PromptText),
  when: z.optional(WhenText),
  paused: z.optional(z.boolean()),
  /** A held prompt is to be sent again. */
  again: z.optional(z.boolean()),
});
export type QueueChange = z.infer<typeof QueueChange>;

/** What a user asks of a queue. */
export type QueueAct =
  | { kind: "list" }
  | { kind: "add"; request: QueueRequest }
  | { kind: "change"; change: QueueChange }
  | { kind: "remove"; item: string };

/** A prompt for which the daemon starts a session. */
export const ScheduledPrompt = z.object({
  ...QueuedPrompt.shape,
  agent: z.string(),
  cwd: z.string(),
  /** The last session that was started for it. */
  session: z.optional(z.string()),
});
export type ScheduledPrompt = z.infer<typeof ScheduledPrompt>;

export const ScheduleRequest = z.object({
  agent: z.string().check(z.minLength(1), z.maxLength(32)),
  cwd: z.string().check(z.minLength(1), z.maxLength(4096)),
  text: PromptText,
  when: WhenText,
});
export type ScheduleRequest = z.infer<typeof ScheduleRequest>;

/** Every queue of the machine that is not empty. */
export const AllQueues = z.object({
  sessions: z.array(PromptQueueAnswer),
  scheduled: z.array(ScheduledPrompt),
  /** Queues that cannot be read, each with the reason. */
  problems: z.optional(z.array(z.string())),
});
export type AllQueues = z.infer<typeof AllQueues>;
