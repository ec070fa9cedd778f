/**
 * Checks a runner's input without zod, which would cost memory in every runner. runner-input.test.ts keeps these checks and the
 * zod schemas in step.
 */
import { SOURCES, STATES } from "../core/state.ts";
import type { Answer, Message, WrittenConversation } from "./runner-api.ts";
import { integer, list, maybe, object, oneOf, otherwise, text, yesOrNo, type Shape } from "./shape.ts";
import type { Status, StatusReport } from "./status.ts";

const Short = text({ max: 200 });

export const statusShape: Shape<Status> = object({
  label: otherwise(Short, ""),
  working: otherwise(yesOrNo, false),
  error: maybe(yesOrNo),
});

const offeredOption = object({
  number: maybe(text({ max: 2 })),
  label: Short,
  marked: maybe(yesOrNo),
  checked: maybe(yesOrNo),
  takes_text: maybe(yesOrNo),
});

export const statusReportShape: Shape<StatusReport> = object({
  state: oneOf(...STATES),
  label: maybe(Short),
  message: maybe(text({ max: 2000 })),
  source: otherwise(oneOf(...SOURCES), "hook"),
  at: maybe(text({ max: 40 })),
  event: maybe(Short),
  session: maybe(Short),
  pid: maybe(integer()),
  scope: maybe(Short),
  ask: maybe(Short),
  begins: maybe(yesOrNo),
  weak: maybe(yesOrNo),
  could_be: maybe(list(oneOf(...STATES))),
  held: maybe(yesOrNo),
  options: maybe(list(offeredOption, { max: 100 })),
  several: maybe(yesOrNo),
});

export const writtenConversationShape: Shape<WrittenConversation> = object({
  title: text({ max: 4096 }),
  transcript: maybe(text({ max: 4096, pattern: /^\// })),
  session: maybe(Short),
});

export const answerShape: Shape<Answer> = object({
  answer: text({ max: 100_000, pattern: /./s }),
  asked: maybe(text({ max: 100 })),
});

export const messageShape: Shape<Message> = object({
  text: text({ max: 1_000_000 }),
  force: maybe(yesOrNo),
});
