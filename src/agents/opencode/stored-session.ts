/**
 * A session as OpenCode keeps it, whichever layout it lay in: every layout is a session record, messages and
 * their parts, with the same JSON inside. The layouts' readers produce this, the rest of the adapter reads it.
 */
import type { Json } from "../../lib/json/fields.ts";

export interface SessionInfo {
  id: string;
  title: string;
  /** The session whose task tool (or API call) made this one. */
  parentId?: string;
  /** The session this one was forked from, where the layout says so (2.x only). */
  forkedFrom?: string;
  directory?: string;
  version?: string;
  createdMs?: number;
  updatedMs?: number;
  archived: boolean;
  /** First message (or part of it) that an undo has hidden. */
  undoneFrom?: { messageId: string; partId?: string };
}

export interface StoredMessage {
  id: string;
  createdMs: number;
  data: Json;
  parts: StoredPart[];
}

export interface StoredPart {
  id: string;
  data: Json;
}

export interface StoredSession {
  info: SessionInfo;
  /** In order, those that an undo hides included. */
  messages: StoredMessage[];
  /** Deleted from the conversation but paid for; without parts. */
  removed: StoredMessage[];
  /** Written in other words than OpenCode 1 would take back. */
  isTranslated?: true;
  /** The session record as it was found. */
  raw: unknown;
}

/** Oldest first. By time, then id: ids alone start over every 795 days (see `idTime`). */
export function inOrder(messages: StoredMessage[]): StoredMessage[] {
  return messages.sort((a, b) => a.createdMs - b.createdMs || compare(a.id, b.id));
}

/** The order parts were made in. Only their ids tell it. */
export function partsInOrder(parts: StoredPart[]): StoredPart[] {
  parts.sort((a, b) => compare(a.id, b.id));
  const first = idTime(parts[0]?.id);
  const last = idTime(parts.at(-1)?.id);
  // The counter started over while this message was being written: the low half is the later one.
  if (first === undefined || last === undefined || last - first < ID_TIME_SPAN / 2) return parts;
  const late = (part: StoredPart): number => ((idTime(part.id) ?? 0) < ID_TIME_SPAN / 2 ? 1 : 0);
  return parts.sort((a, b) => late(a) - late(b) || compare(a.id, b.id));
}

/** Ids carry the lowest 48 bits of (milliseconds * 4096 + counter) as 12 hexadecimal digits. */
const ID_TIME_SPAN = 2 ** 48;

function idTime(id: string | undefined): number | undefined {
  const digits = /^[a-z]+_([0-9a-f]{12})/.exec(id ?? "")?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
