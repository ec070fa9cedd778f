/** Checks of queues and of requests to change them without zod, for runners. runner-input.test.ts keeps both in step. */
import {
  MAX_PROMPT,
  PROMPT_RECEIPTS,
  PROMPT_STATES,
  type StoredPrompt,
  type StoredQueue,
  type StoredSchedule,
} from "../core/queue.ts";
import type { QueueChange, QueueRequest } from "./queue.ts";
import { boolean, integer, list, object, oneOf, optional, text, type Shape } from "./shape.ts";

const promptText = text({ max: MAX_PROMPT, pattern: /./s });
const whenText = text({ max: 100, pattern: /./s });

export const queueRequestShape: Shape<QueueRequest> = object({ text: promptText, when: optional(whenText) });

export const queueChangeShape: Shape<QueueChange> = object({
  item: optional(text({ max: 20 })),
  text: optional(promptText),
  when: optional(whenText),
  paused: optional(boolean),
  again: optional(boolean),
});

const word = text({ max: 1000 });

const isTrue: Shape<true | undefined> = (value) => (value === true ? true : undefined);

const storedPrompt = {
  id: word,
  text: promptText,
  when: word,
  state: oneOf(...PROMPT_STATES),
  paused: isTrue,
  created_at: word,
  due_at: optional(word),
  note: optional(word),
  delivered_at: optional(word),
  held_at: optional(word),
  receipt: optional(oneOf(...PROMPT_RECEIPTS)),
  attempts: optional(integer(0)),
  wakes: optional(integer(0)),
  slot: optional(word),
  mark: optional(object({ at: integer(), path: optional(text({ max: 4096 })), size: optional(integer(0)) })),
};

const storedPromptShape: Shape<StoredPrompt> = object(storedPrompt);

export const storedScheduleShape: Shape<{ items: StoredSchedule[] }> = object({
  items: list(
    object({
      ...storedPrompt,
      agent: word,
      cwd: text({ max: 4096 }),
      session: optional(word),
      sessions: optional(list(word)),
    }),
  ),
});

export const storedQueueShape: Shape<StoredQueue> = object({
  paused: optional(oneOf("user", "killed")),
  signal_at: optional(word),
  items: list(storedPromptShape),
});
