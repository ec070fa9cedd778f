/**
 * Forks. OpenCode 1 copies messages under new ids without a pointer, but copies keep their times. A message older than
 * its session is a copy, and was billed in the session with a message of the same time.
 */
import { optional } from "../../../lib/values/optional.ts";
import { modelOf, roleOf } from "./format.ts";
import type { SessionInfo, StoredMessage } from "./stored-session.ts";

/** A session that begins with the same message. */
export interface FamilyMember {
  info: SessionInfo;
  /** Includes messages deleted by an undo. */
  messages: readonly StoredMessage[];
}

export interface ForkOrigin {
  parentId?: string;
  /** Copied messages: their id here to the id of the original request. */
  originals: Map<string, string>;
}

const NO_FORK: ForkOrigin = { originals: new Map() };
const FORK_TITLE = /^(.+) \(fork #(\d+)\)$/s;

export function isOlderThanSession(info: SessionInfo, createdMs: number): boolean {
  return info.createdMs !== undefined && createdMs > 0 && createdMs < info.createdMs;
}

export function forkOrigin(session: FamilyMember, family: readonly FamilyMember[]): ForkOrigin {
  const copies = session.messages.filter((message) => isOlderThanSession(session.info, message.createdMs));
  const linked = session.info.forkedFrom;
  if (copies.length === 0) return linked === undefined ? NO_FORK : { ...NO_FORK, parentId: linked };

  const elders = family.filter((member) => isElder(member.info, session.info)).map(indexed);
  const parentId = linked ?? likeliestParent(session.info, copies, elders);
  // A clock set back also makes messages older than their session: without a source they are not copies.
  if (parentId === undefined && !FORK_TITLE.test(session.info.title)) return NO_FORK;

  const originals = new Map<string, string>();
  for (const copy of copies) originals.set(copy.id, originalOf(copy, elders) ?? lostOriginal(copy));
  return { originals, ...optional("parentId", parentId) };
}

interface Elder extends FamilyMember {
  byMark: Map<string, StoredMessage>;
}

function indexed(member: FamilyMember): Elder {
  return { ...member, byMark: new Map(member.messages.map((message) => [mark(message), message])) };
}

/** The key that a message and its copies share. */
function mark(message: StoredMessage): string {
  return `${message.createdMs}:${String(roleOf(message))}`;
}

function isElder(member: SessionInfo, session: SessionInfo): boolean {
  return member.id !== session.id && (member.createdMs ?? Number.POSITIVE_INFINITY) <= (session.createdMs ?? 0);
}

/** The older session with the most shared messages; on a tie, the one whose title matches, then the oldest. */
function likeliestParent(info: SessionInfo, copies: StoredMessage[], elders: Elder[]): string | undefined {
  const source = sourceTitle(info.title);
  let best: { id: string; rank: number[] } | undefined;
  for (const elder of elders) {
    const shared = copies.filter((copy) => elder.byMark.has(mark(copy))).length;
    if (shared === 0) continue;
    const rank = [shared, elder.info.title === source ? 1 : 0, -(elder.info.createdMs ?? 0)];
    if (best === undefined || isHigher(rank, best.rank)) best = { id: elder.info.id, rank };
  }
  return best?.id;
}

function isHigher(a: number[], b: number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && a[at]! > b[at]!;
}

/** A fork of "T" is "T (fork #1)"; a fork of that is "T (fork #2)". */
function sourceTitle(title: string): string | undefined {
  const match = FORK_TITLE.exec(title);
  if (match === null) return undefined;
  const number = Number(match[2]);
  return number > 1 ? `${match[1]} (fork #${number - 1})` : match[1];
}

function originalOf(copy: StoredMessage, elders: Elder[]): string | undefined {
  for (const elder of elders) {
    const message = elder.byMark.get(mark(copy));
    if (message !== undefined && !isOlderThanSession(elder.info, message.createdMs)) return message.id;
  }
  return undefined;
}

/** The same for all copies of a request whose session was deleted. */
function lostOriginal(copy: StoredMessage): string {
  return `copy of ${mark(copy)}:${modelOf(copy) ?? ""}`;
}
