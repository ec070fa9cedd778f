/** One way for a file to be damaged, and what amux promises to make of it. */
import type { RecordedSession } from "./recorded-session.ts";

/** What is seen of a damaged store: sessions in the list, their messages, and what `amux doctor` tells. */
export interface Outcome {
  /** These two compared with the store as it was recorded. */
  sessions: "all" | "none" | "other";
  messages: "all" | "all but a few" | "none" | "other";
  /** Files that `amux doctor` counts as holding no conversation. */
  empty: number;
  /** Whether lines are counted as damaged. */
  damaged: boolean;
  /** Why a file was left out; empty when none was. */
  skipped: string;
}

export interface Damage {
  name: string;
  make(path: string, session: RecordedSession, home: string): void;
  promise: Outcome;
  /** Where an agent's format makes it another one. */
  exceptions?: Readonly<Record<string, Partial<Outcome>>>;
  /** Reading happens as another user, because root may read everything. */
  asOtherUser?: boolean;
  concerns?(session: RecordedSession): boolean;
}

/** Nothing is lost and nothing needs to be told. */
export const UNHARMED: Outcome = { sessions: "all", messages: "all", empty: 0, damaged: false, skipped: "" };
/** The session is whole, and the line that was no record is counted. */
export const COUNTED: Outcome = { ...UNHARMED, damaged: true };

/** What was in the record is gone, and no more than that. */
export const LOST_ONE: Outcome = { ...COUNTED, messages: "all but a few" };

export function leftOut(reason: string): Outcome {
  return { sessions: "none", messages: "none", empty: 0, damaged: false, skipped: reason };
}

/** Nothing to read and nothing to complain of: counted. */
export const EMPTY: Outcome = { ...leftOut(""), empty: 1 };
