/**
 * Checks a runner's input without zod, which would cost memory in every runner. runner-input.test.ts keeps these checks and the
 * zod schemas in step.
 */
import { SOURCES, STATES } from "../core/state.ts";
import type { Answer, Message, WrittenConversation } from "./runner-api.ts";
import { integer, list, optional, object, oneOf, withDefault, text, boolean, type Shape } from "./shape.ts";
import type { Status, StatusReport } from "./status.ts";

const Short = text({ max: 200 });

export const statusShape: Shape<Status> = object({
  label: withDefault(Short, ""),
  working: withDefault(boolean, false),
  error: optional(boolean),
});

const offeredOption = object({
  number: optional(text({ max: 2 })),
  label: Short,
  marked: optional(boolean),
  checked: optional(boolean),
  takes_text: optional(boolean),
});

export const statusReportShape: Shape<StatusReport> = object({
  state: oneOf(...STATES),
  label: optional(Short),
  message: optional(text({ max: 2000 })),
  source: withDefault(oneOf(...SOURCES), "hook"),
  at: optional(text({ max: 40 })),
  event: optional(Short),
  session: optional(Short),
  pid: optional(integer()),
  scope: optional(Short),
  ask: optional(Short),
  begins: optional(boolean),
  weak: optional(boolean),
  could_be: optional(list(oneOf(...STATES))),
  held: optional(boolean),
  options: optional(list(offeredOption, { max: 100 })),
  several: optional(boolean),
});

export const writtenConversationShape: Shape<WrittenConversation> = object({
  title: text({ max: 4096 }),
  transcript: optional(text({ max: 4096, pattern: /^\// })),
  session: optional(Short),
});

export const answerShape: Shape<Answer> = object({
  answer: text({ max: 100_000, pattern: /./s }),
  asked: optional(text({ max: 100 })),
});

export const messageShape: Shape<Message> = object({
  text: text({ max: 1_000_000 }),
  force: optional(boolean),
});
