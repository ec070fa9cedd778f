/** Which heads may be cached, and for how long: one rule for everybody who reads heads. */
import type { AgentEnv, History, SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { ReadNotes } from "../../agents/read-notes.ts";
import { isSettled } from "./signature.ts";

/** Signature of any session's file; undefined if it belongs to none. */
type StampOf = (path: string) => string | undefined;

/**
 * What a head is valid for: the session's files, and those of other sessions it is derived from. Undefined if any file may change
 * it.
 */
export function headStamp(
  own: string,
  head: Pick<SessionHead, "volatile"> | null | undefined,
  stampOf: StampOf,
): string | undefined {
  const { volatile: others = [] } = head ?? {};
  if (others === true) return undefined;
  const stamps = [own, ...others.map(stampOf)];
  return stamps.includes(undefined) ? undefined : stamps.join("+");
}

/** Throws if the session is unreadable. Without a stamp the head must not be cached. */
export function readHead(
  { history, env, notes, stampOf }: { history: History; env: AgentEnv; notes: ReadNotes; stampOf: StampOf },
  source: SessionSource,
  own: string,
): { head: SessionHead | undefined; stamp: string | undefined } {
  const skipped = notes.skippedCount;
  const head = history.summarize(source, env, notes);
  // What was skipped may become readable without a new size or time, and a file being written may change without a new time.
  const isLasting = notes.skippedCount === skipped && isSettled(source);
  return { head, stamp: isLasting ? headStamp(own, head, stampOf) : undefined };
}
