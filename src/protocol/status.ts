/**
 * What a session is doing: reports from hooks, the terminal or scripts, and the small `Status` beside a dot, which is always
 * derived.
 */
import * as z from "zod/mini";
import { SOURCES, STATES } from "../core/state.ts";

export type { Source, State } from "../core/state.ts";

/** More options fit on no screen. */
const MAX_OPTIONS = 100;

export const OfferedOption = z.object({
  /** The key that picks it: a digit or a letter. */
  number: z.optional(z.string().check(z.maxLength(2))),
  label: z.string().check(z.maxLength(200)),
  /** The option that Enter would choose now. */
  marked: z.optional(z.boolean()),
  /** State of a checkbox. */
  checked: z.optional(z.boolean()),
  /** Free text can be given instead. */
  takes_text: z.optional(z.boolean()),
});

const OfferedOptions = z.array(OfferedOption).check(z.maxLength(MAX_OPTIONS));

/** The options of a session's question. */
export const Offer = {
  options: z.optional(OfferedOptions),
  /** Several can be chosen. */
  several: z.optional(z.boolean()),
};

const Label = z.string().check(z.maxLength(200));
const Name = z.string().check(z.maxLength(200));

export const Status = z.object({
  /** Short text, shown next to the dot. */
  label: z._default(Label, ""),
  working: z._default(z.boolean(), false),
  error: z.optional(z.boolean()),
});
export type Status = z.infer<typeof Status>;

export const StatusReport = z.object({
  state: z.enum(STATES),
  label: z.optional(Label),
  /** The question, the requested permission, or the error. */
  message: z.optional(z.string().check(z.maxLength(2000))),
  source: z._default(z.enum(SOURCES), "hook"),
  /** ISO 8601. */
  at: z.optional(z.string().check(z.maxLength(40))),
  /** The observed event, in the sender's words: the hook's event, the sequence. */
  event: z.optional(Name),
  /** The agent's own session and process; a report about another one is not about this session. */
  session: z.optional(Name),
  pid: z.optional(z.int()),
  /** The sub-agent it concerns; the agent itself if absent. */
  scope: z.optional(Name),
  /** Name of the question. The report that ends it carries the same name. */
  ask: z.optional(Name),
  /** A turn or a session begins: earlier questions are over. */
  begins: z.optional(z.boolean()),
  /** Only ends a busy state: it does not override a calm one. */
  weak: z.optional(z.boolean()),
  /** States the sender cannot distinguish from this one. */
  could_be: z.optional(z.array(z.enum(STATES))),
  /** The sender waits for an answer here; the question stays open until then, whatever the screen shows. */
  held: z.optional(z.boolean()),
  ...Offer,
});
export type StatusReport = z.infer<typeof StatusReport>;
