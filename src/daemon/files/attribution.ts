/**
 * Which session writes a conversation? Hooks and launch ids say so; otherwise directory and time allow a guess, marked as one. If
 * several sessions wait for one, the text on their screens decides, and only without it the time of their start.
 */
import { programOf, type SessionRecord } from "../store/session-record.ts";
import type { FoundConversation } from "./found-conversation.ts";

/** Agents create their file at the start or with the first prompt; a later file probably belongs to another. */
const BEGINS_WITHIN_MS = 5 * 60_000;

/** Difference between file system clocks and programs. */
const SLACK_MS = 2000;

/** A running session, with the conversation it is believed to write. */
export interface Candidate {
  id: string;
  startedMs: number;
  current: FoundConversation | undefined;
  /** The launch or command line named it: only the screen can show that it moved on. */
  isTold: boolean;
}

/** Running sessions that could have written it, by directory and kind. */
export function candidatesFor(
  found: FoundConversation,
  live: Iterable<Readonly<SessionRecord>>,
  current: (record: Readonly<SessionRecord>) => FoundConversation | undefined,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const record of live) {
    const { agent, cwd, startedMs } = programOf(record);
    if (agent !== found.agent || cwd !== found.cwd) continue;
    // Its hooks will also report its next conversation.
    if (record.conversation?.by === "hook") continue;
    const own = current(record);
    // It will begin another conversation, and has not yet.
    if (own === undefined && record.conversation?.how === "told") continue;
    candidates.push({ id: record.id, startedMs, current: own, isTold: record.conversation?.how === "told" });
  }
  return candidates;
}

/** Whether a session's command line names this conversation to resume. */
export function isNamedIn(command: readonly string[], found: FoundConversation): boolean {
  const words = new Set(command.slice(1).flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]));
  if (!words.has(found.sessionId) && !words.has(found.path)) return false;
  // A fork's command names the original, and gets its own id.
  const forking = (found.forkCommand ?? []).filter((word) => found.resumeCommand?.includes(word) !== true);
  return !forking.some((word) => words.has(word));
}

/** The session that writes it, if only one can. */
export function guess(found: FoundConversation, candidates: readonly Candidate[]): string | undefined {
  // An old conversation may have been resumed inside the agent, or by an unknown process.
  const begun = startedBefore(found, candidates);
  const empty = begun.filter(({ current }) => current === undefined);
  if (empty.length > 0) return empty.length === 1 ? empty[0]!.id : undefined;
  // `/new` and `/clear`: the old conversation ended before this one began.
  const left = begun.filter(({ current }) => current!.updatedMs <= found.createdMs + SLACK_MS);
  return left.length === 1 ? left[0]!.id : undefined;
}

/** Candidates if directory and time do not decide. */
export function suspects(found: FoundConversation, candidates: readonly Candidate[]): string[] {
  return candidates
    .filter(({ startedMs, isTold }) => (isTold ? found.createdMs : found.updatedMs) >= startedMs - SLACK_MS)
    .filter(({ current }) => current === undefined || current.updatedMs <= found.updatedMs)
    .map(({ id }) => id);
}

/**
 * If no screen shows it: the last session without a conversation that was started before it, unless another started at the same
 * moment.
 */
export function nearest(found: FoundConversation, candidates: readonly Candidate[]): string | undefined {
  const [first, second] = startedBefore(found, candidates)
    .filter(({ current }) => current === undefined)
    .map(({ id, startedMs }) => ({ id, distance: Math.max(0, found.createdMs - startedMs) }))
    .sort((a, b) => a.distance - b.distance);
  if (first === undefined || second === undefined) return first?.id;
  if (first.distance > BEGINS_WITHIN_MS || second.distance - first.distance < SLACK_MS) return undefined;
  return first.id;
}

function startedBefore(found: FoundConversation, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ startedMs, isTold }) => !isTold && found.createdMs >= startedMs - SLACK_MS);
}
