/**
 * Whose conversation is it? Agents that have hooks, or were started with a session id, say so themselves. For the others
 * there is only the working directory and the time, and the answer is a guess that is marked as one. When two sessions
 * could equally well have written a file, neither gets it, unless its words are found on one of their screens.
 */
import { programOf, type SessionRecord } from "../store/session-record.ts";
import type { FoundConversation } from "./found-conversation.ts";

/** Agents begin their file at the start or with the first prompt; later than this it is another one's more likely. */
const BEGINS_WITHIN_MS = 5 * 60_000;

/** Clocks of file systems and of programs differ by so much. */
const SLACK_MS = 2000;

/** A live session, with the conversation it is believed to write. */
export interface Candidate {
  id: string;
  startedMs: number;
  current: FoundConversation | undefined;
  /** The launch or the command line has named that one: only the screen may show that it went on to another. */
  isTold: boolean;
}

/** Those among the live sessions that could have written it, as far as directory and kind tell. */
export function candidatesFor(
  found: FoundConversation,
  live: Iterable<Readonly<SessionRecord>>,
  current: (record: Readonly<SessionRecord>) => FoundConversation | undefined,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const record of live) {
    const { agent, cwd, startedMs } = programOf(record);
    if (agent !== found.agent || cwd !== found.cwd) continue;
    // One whose hooks tell its conversation will be told about the next one, too.
    if (record.conversation?.by === "hook") continue;
    const own = current(record);
    // One that is known to begin another conversation than this, and has not yet.
    if (own === undefined && record.conversation?.how === "told") continue;
    candidates.push({ id: record.id, startedMs, current: own, isTold: record.conversation?.how === "told" });
  }
  return candidates;
}

/** Whether the command line a session was started with names the conversation as the one to go on with. */
export function isNamedIn(command: readonly string[], found: FoundConversation): boolean {
  const words = new Set(command.slice(1).flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]));
  if (!words.has(found.sessionId) && !words.has(found.path)) return false;
  // A fork is named after what it is a copy of, and gets a name of its own.
  const forking = (found.forkCommand ?? []).filter((word) => found.resumeCommand?.includes(word) !== true);
  return !forking.some((word) => words.has(word));
}

/** The session that is writing it, if only one can be. */
export function guess(found: FoundConversation, candidates: readonly Candidate[]): string | undefined {
  // An old conversation that goes on may have been opened inside the agent, or by somebody we know nothing of.
  const begun = candidates.filter(({ startedMs, isTold }) => !isTold && found.createdMs >= startedMs - SLACK_MS);
  const empty = begun.filter(({ current }) => current === undefined);
  if (empty.length > 0) return nearest(found, empty);
  // `/new` and `/clear`: the old conversation ended before this one began.
  const left = begun.filter(({ current }) => current!.updatedMs <= found.createdMs + SLACK_MS);
  return left.length === 1 ? left[0]!.id : undefined;
}

/** Those that could be writing it when it cannot be told by directory and time. */
export function suspects(found: FoundConversation, candidates: readonly Candidate[]): string[] {
  return candidates
    .filter(({ startedMs, isTold }) => (isTold ? found.createdMs : found.updatedMs) >= startedMs - SLACK_MS)
    .filter(({ current }) => current === undefined || current.updatedMs <= found.updatedMs)
    .map(({ id }) => id);
}

/** The session started last before the file was begun, unless another one was started in the same moment. */
function nearest(found: FoundConversation, candidates: readonly Candidate[]): string | undefined {
  const [first, second] = candidates
    .map(({ id, startedMs }) => ({ id, distance: Math.max(0, found.createdMs - startedMs) }))
    .sort((a, b) => a.distance - b.distance);
  if (first === undefined || (second === undefined && candidates.length === 1)) return first?.id;
  if (first.distance > BEGINS_WITHIN_MS || second!.distance - first.distance < SLACK_MS) return undefined;
  return first.id;
}
