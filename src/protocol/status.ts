/**
 * What a session is doing: reports as they come from hooks, the terminal or scripts, and the small `Status` shown
 * beside a dot. The states and their order are those of the status files; the wire status is always derived.
 */
import * as z from "zod/mini";
import { SOURCES, STATES } from "../core/state.ts";

export type { Source, State } from "../core/state.ts";

/** More options are on no screen. */
const MAX_OPTIONS = 100;

export const OfferedOption = z.object({
  /** What it is picked by: a digit or a letter. */
  number: z.optional(z.string().check(z.maxLength(2))),
  label: z.string().check(z.maxLength(200)),
  /** What Enter at the terminal would take now. */
  marked: z.optional(z.boolean()),
  /** Of a checkbox. */
  checked: z.optional(z.boolean()),
  /** Words of one's own can be given instead. */
  takes_text: z.optional(z.boolean()),
});

const OfferedOptions = z.array(OfferedOption).check(z.maxLength(MAX_OPTIONS));

/** What a session that asks offers to pick from. */
export const Offer = {
  options: z.optional(OfferedOptions),
  /** Several of them can be picked. */
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
  /** What the session asks or tells: the question, the permission wanted, the error. */
  message: z.optional(z.string().check(z.maxLength(2000))),
  source: z._default(z.enum(SOURCES), "hook"),
  /** ISO 8601. */
  at: z.optional(z.string().check(z.maxLength(40))),
  /** What was seen, in the sender's words: the hook's event, the sequence. */
  event: z.optional(Name),
  /** The agent's own session, and the process that runs it; a report of another one says nothing about this one. */
  session: z.optional(Name),
  pid: z.optional(z.int()),
  /** The sub-agent it is about; the agent itself when absent. */
  scope: z.optional(Name),
  /** Names what is asked. The report that ends it carries the same name. */
  ask: z.optional(Name),
  /** A turn or a session begins: what was open before is over. */
  begins: z.optional(z.boolean()),
  /** Only ends unrest: says nothing against a state that is calm already. */
  weak: z.optional(z.boolean()),
  /** States the sender cannot tell from this one. */
  could_be: z.optional(z.array(z.enum(STATES))),
  /** Whoever asked waits for an answer right here; it stands until that is over, whatever the screen shows. */
  held: z.optional(z.boolean()),
  ...Offer,
});
export type StatusReport = z.infer<typeof StatusReport>;
