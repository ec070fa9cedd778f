/** A session from JSON files: its head from a sample of messages, or all of it. */
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { forkOrigin, isOlderThanSession, type FamilyMember, type ForkOrigin } from "./forks.ts";
import { hasOwnTitle, headOf, messageFacts } from "./head.ts";
import { messageNames, readInfo, readMessages, readParts, siblingsOf, type TreeSession } from "./json-tree.ts";
import { roleOf } from "./format.ts";
import type { SessionInfo, StoredMessage, StoredSession } from "./stored-session.ts";
import { promptOf } from "./transcript.ts";

/** Messages read at both ends for a summary. */
const HEAD_MESSAGES = 64;
const TAIL_MESSAGES = 32;

/** Undefined without a conversation. */
export function summarizeTree(tree: TreeSession, notes: ReadNotes): SessionHead | undefined {
  const names = messageNames(tree, notes);
  const tail = Math.max(HEAD_MESSAGES, names.length - TAIL_MESSAGES);
  const messages = readMessages(tree, [...names.slice(0, HEAD_MESSAGES), ...names.slice(tail)], notes);
  if (messages.length === 0) return undefined;
  const { info } = readInfo(tree, notes);
  if (!hasOwnTitle(info)) addFirstPrompt(tree, messages, notes);
  return treeHead(info, messages, originIn(tree, { info, messages }, notes));
}

function addFirstPrompt(tree: TreeSession, messages: StoredMessage[], notes: ReadNotes): void {
  for (const message of messages) {
    if (roleOf(message) !== "user") continue;
    message.parts = readParts(tree, message.id, notes);
    if (promptOf(message) !== undefined) return;
  }
}

/** Undefined without a conversation. */
export function readTree(
  tree: TreeSession,
  notes: ReadNotes,
): { session: StoredSession; head: SessionHead; origin: ForkOrigin } | undefined {
  const names = messageNames(tree, notes);
  if (names.length === 0) return undefined;
  const { info, raw } = readInfo(tree, notes);
  const messages = readMessages(tree, names, notes);
  for (const message of messages) message.parts = readParts(tree, message.id, notes);
  const origin = originIn(tree, { info, messages }, notes);
  const session = { info, messages, removed: [], raw: { session: raw, messages } };
  return { session, origin, head: treeHead(info, messages, origin) };
}

function treeHead(info: SessionInfo, messages: StoredMessage[], { parentId }: ForkOrigin): SessionHead {
  return headOf({ info, ...messageFacts(messages), ...optional("forkedFrom", parentId) });
}

function originIn(tree: TreeSession, member: FamilyMember, notes: ReadNotes): ForkOrigin {
  const firstMs = member.messages[0]?.createdMs ?? 0;
  if (!isOlderThanSession(member.info, firstMs)) return forkOrigin(member, []);
  const family: FamilyMember[] = [];
  for (const sibling of siblingsOf(tree, () => {})) {
    const names = messageNames(sibling, notes);
    // Copies come first in a fork too, so the first message is enough to compare.
    if (readMessages(sibling, names.slice(0, 1), notes)[0]?.createdMs !== firstMs) continue;
    family.push({ info: readInfo(sibling, notes).info, messages: readMessages(sibling, names, notes) });
  }
  return forkOrigin(member, family);
}
