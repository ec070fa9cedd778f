/** The files OpenCode kept before it had a database: one JSON document per session, message and part. The upgrade left them. */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, entriesOf, type FileStat, foldersIn, type OnProblem } from "../../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../../lib/fs/foreign-file.ts";
import type { Json } from "../../../lib/json/fields.ts";
import { parseObject } from "../../../lib/json/json.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { SessionHead } from "../../adapter.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { type FamilyMember, forkOrigin, type ForkOrigin, isOlderThanSession } from "./forks.ts";
import { createdOf, infoOfDocument, roleOf } from "./format.ts";
import { hasOwnTitle, headOf, messageFacts } from "./head.ts";
import {
  inOrder,
  partsInOrder,
  type SessionInfo,
  type StoredMessage,
  type StoredPart,
  type StoredSession,
} from "./stored-session.ts";
import { promptOf } from "./transcript.ts";

export interface TreeSession {
  id: string;
  /** The session's own document. */
  info: string;
  /** The parent of the directories `message` and `part`. */
  storage: string;
  /** The parts of a message are in a directory per session. */
  partsBySession: boolean;
}

/** Sessions in OpenCode's data directory, by file name. */
export function treeSessions(dataDir: string, onProblem: OnProblem): TreeSession[] {
  const storage = join(dataDir, "storage");
  const projects = foldersIn(join(storage, "session"), onProblem);
  const later = projects.flatMap((project) => sessionsIn(project, storage, false, onProblem));
  const earlier = foldersIn(join(dataDir, "project"), onProblem).flatMap((project) => {
    const storage = join(project, "storage", "session");
    return sessionsIn(join(storage, "info"), storage, true, onProblem);
  });
  return [...later, ...earlier];
}

/** Sessions of the same project, whose documents are in the same directory. */
function siblingsOf({ info, storage, partsBySession }: TreeSession, onProblem: OnProblem): TreeSession[] {
  return sessionsIn(dirname(info), storage, partsBySession, onProblem);
}

function sessionsIn(directory: string, storage: string, partsBySession: boolean, onProblem: OnProblem): TreeSession[] {
  return documentsIn(directory, onProblem).map((name) => {
    return { id: stem(name), info: join(directory, name), storage, partsBySession };
  });
}

function messagesDir({ storage, id }: TreeSession): string {
  return join(storage, "message", id);
}

function partsDir({ storage, id, partsBySession }: TreeSession, messageId: string): string {
  return partsBySession ? join(storage, "part", id, messageId) : join(storage, "part", messageId);
}

/**
 * The files that change with the session. Documents are rewritten in place, so the newest message stands for all; the
 * directories show new ones.
 */
export function treeFiles(session: TreeSession): FileStat[] {
  const messages = messagesDir(session);
  const last = documentsIn(messages).sort().at(-1);
  const paths = [session.info, messages];
  if (last !== undefined) paths.push(join(messages, last), partsDir(session, stem(last)));
  return paths.flatMap((path) => {
    try {
      const { size, mtimeMs } = statSync(path);
      return [{ path, size, mtimeMs }];
    } catch {
      // Missing (a message without parts) or unreadable; reading it reports the error.
      return [];
    }
  });
}

function readInfo(session: TreeSession, notes: ReadNotes): { info: SessionInfo; raw: Json | undefined } {
  const raw = readDocument(session.info, notes);
  return { info: infoOfDocument(session.id, raw), raw };
}

/** Names of the message documents by id, which is nearly always the order of time. */
function messageNames(session: TreeSession, notes: ReadNotes): string[] {
  return documentsIn(messagesDir(session), notes.onProblem).sort();
}

/** The named messages, without their parts. */
function readMessages(session: TreeSession, names: readonly string[], notes: ReadNotes): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const name of names) {
    const data = readDocument(join(messagesDir(session), name), notes);
    if (data !== undefined) messages.push({ id: stem(name), createdMs: createdOf(data) ?? 0, data, parts: [] });
  }
  return inOrder(messages);
}

function readParts(session: TreeSession, messageId: string, notes: ReadNotes): StoredPart[] {
  const directory = partsDir(session, messageId);
  const parts: StoredPart[] = [];
  for (const name of documentsIn(directory, notes.onProblem)) {
    const data = readDocument(join(directory, name), notes);
    if (data !== undefined) parts.push({ id: stem(name), data });
  }
  return partsInOrder(parts);
}

function readDocument(path: string, notes: ReadNotes): Json | undefined {
  let text: string;
  try {
    text = readText(path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT") notes.skip(path, `cannot be read (${code})`);
    return undefined;
  }
  // A crash while writing leaves NUL bytes; editors leave a byte order mark.
  const document = parseObject(text.replace(/^\ufeff|\0+$/g, ""));
  if (document === undefined) notes.damage(path);
  return document;
}

function documentsIn(directory: string, onProblem?: OnProblem): string[] {
  return entriesOf(directory, onProblem)
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".json"));
}

function stem(name: string): string {
  return name.slice(0, -".json".length);
}

/** The head of a session, without reading its parts if it has a title. Undefined without a conversation. */
export function summarizeTree(tree: TreeSession, notes: ReadNotes): SessionHead | undefined {
  const messages = readMessages(tree, messageNames(tree, notes), notes);
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
