/** One kind of damage, and the promised result. */
import type { RecordedSession } from "./recorded-session.ts";

/** What shows of a damaged store: listed sessions, their messages, and the report of `amux doctor`. */
export interface Outcome {
  /** Both compared with the undamaged store. */
  sessions: "all" | "none" | "other";
  messages: "all" | "all but a few" | "none" | "other";
  /** Files that `amux doctor` counts as empty. */
  empty: number;
  /** Whether lines are counted as damaged. */
  damaged: boolean;
  /** Why a file was skipped; empty when none was. */
  skipped: string;
}

export interface Damage {
  name: string;
  make(path: string, session: RecordedSession, home: string): void;
  promise: Outcome;
  /** Where an agent's format gives another result. */
  exceptions?: Readonly<Record<string, Partial<Outcome>>>;
  /** Read as another user, because root can read everything. */
  asOtherUser?: boolean;
  concerns?(session: RecordedSession): boolean;
}

/** Nothing is lost and nothing is reported. */
export const UNHARMED: Outcome = { sessions: "all", messages: "all", empty: 0, damaged: false, skipped: "" };
/** The session is complete, and the bad line is counted. */
export const COUNTED: Outcome = { ...UNHARMED, damaged: true };

/** Only the damaged record is lost. */
export const LOST_ONE: Outcome = { ...COUNTED, messages: "all but a few" };

export function leftOut(reason: string): Outcome {
  return { sessions: "none", messages: "none", empty: 0, damaged: false, skipped: reason };
}

/** Nothing to read, and no error: counted as empty. */
export const EMPTY: Outcome = { ...leftOut(""), empty: 1 };
