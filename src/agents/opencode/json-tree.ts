/** The files OpenCode kept before it had a database: one JSON document per session, message and part. The upgrade left them. */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, entriesOf, type FileStat, type OnProblem } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { ReadNotes } from "../read-notes.ts";
import { createdOf, infoOfDocument } from "./format.ts";
import { inOrder, partsInOrder, type SessionInfo, type StoredMessage, type StoredPart } from "./stored-session.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

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
  const projects = directoriesOf(join(storage, "session"), onProblem);
  const later = projects.flatMap((project) => sessionsIn(project, storage, false, onProblem));
  const earlier = directoriesOf(join(dataDir, "project"), onProblem).flatMap((project) => {
    const storage = join(project, "storage", "session");
    return sessionsIn(join(storage, "info"), storage, true, onProblem);
  });
  return [...later, ...earlier];
}

/** Sessions of the same project, whose documents are in the same directory. */
export function siblingsOf({ info, storage, partsBySession }: TreeSession, onProblem: OnProblem): TreeSession[] {
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

export function readInfo(session: TreeSession, notes: ReadNotes): { info: SessionInfo; raw: Json | undefined } {
  const raw = readDocument(session.info, notes);
  return { info: infoOfDocument(session.id, raw), raw };
}

/** Names of the message documents by id, which is nearly always the order of time. */
export function messageNames(session: TreeSession, notes: ReadNotes): string[] {
  return documentsIn(messagesDir(session), notes.onProblem).sort();
}

/** The named messages, without their parts. */
export function readMessages(session: TreeSession, names: readonly string[], notes: ReadNotes): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const name of names) {
    const data = readDocument(join(messagesDir(session), name), notes);
    if (data !== undefined) messages.push({ id: stem(name), createdMs: createdOf(data) ?? 0, data, parts: [] });
  }
  return inOrder(messages);
}

export function readParts(session: TreeSession, messageId: string, notes: ReadNotes): StoredPart[] {
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

function directoriesOf(directory: string, onProblem: OnProblem): string[] {
  return entriesOf(directory, onProblem)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(directory, entry.name));
}

function stem(name: string): string {
  return name.slice(0, -".json".length);
}
