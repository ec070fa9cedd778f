/**
 * A session of OpenCode in any layout: a session record, messages and parts with the same JSON. The layouts' readers
 * produce it, the rest of the adapter uses it.
 */
import type { Json } from "../../../lib/json/fields.ts";

export interface SessionInfo {
  id: string;
  title: string;
  /** The session whose task tool (or API call) created this one. */
  parentId?: string;
  /** The source of a fork, if the layout has it (2.x only). */
  forkedFrom?: string;
  directory?: string;
  version?: string;
  createdMs?: number;
  updatedMs?: number;
  archived: boolean;
  /** The first message, or part of one, that an undo hides. */
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
  /** In order, including those hidden by an undo. */
  messages: StoredMessage[];
  /** Deleted from the conversation but billed; of their parts only the ends of steps. */
  removed: StoredMessage[];
  /** In a format that OpenCode 1 cannot import. */
  isTranslated?: true;
  /** The raw session record. */
  raw: unknown;
}

/** Oldest first. By time, then id: ids alone wrap around every 795 days (see `idTime`). */
export function inOrder(messages: StoredMessage[]): StoredMessage[] {
  return messages.sort((a, b) => a.createdMs - b.createdMs || compare(a.id, b.id));
}

/** The order of parts, which only their ids tell. */
export function partsInOrder(parts: StoredPart[]): StoredPart[] {
  parts.sort((a, b) => compare(a.id, b.id));
  const first = idTime(parts[0]?.id);
  const last = idTime(parts.at(-1)?.id);
  // The counter wrapped around within this message: the low half is later.
  if (first === undefined || last === undefined || last - first < ID_TIME_SPAN / 2) return parts;
  const late = (part: StoredPart): number => ((idTime(part.id) ?? 0) < ID_TIME_SPAN / 2 ? 1 : 0);
  return parts.sort((a, b) => late(a) - late(b) || compare(a.id, b.id));
}

/** Ids contain the lowest 48 bits of (milliseconds * 4096 + counter) as 12 hexadecimal digits. */
const ID_TIME_SPAN = 2 ** 48;

function idTime(id: string | undefined): number | undefined {
  const digits = /^[a-z]+_([0-9a-f]{12})/.exec(id ?? "")?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
