/**
 * Conversations of 0.2.2 and earlier: `logs.json` with the prompts, and the history that `/chat save` wrote. Shows the last saved
 * history, followed by later prompts.
 */
import { basename, join } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { asArray, type Json } from "../../lib/json/fields.ts";
import type { ReadNotes } from "../read-notes.ts";
import { chatOf, type Chat } from "./chat.ts";
import { logEntry, savedHistory, savedRecord, stampRecord, typedRecord } from "./format.ts";
import { kindOf, promptText } from "./record.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

export interface SavedChat {
  sessionId: string;
  log?: string;
  /** The last saved history, and its time. */
  checkpoint?: string;
  savedMs?: number;
}

type LogEntry = NonNullable<ReturnType<typeof logEntry>>;

const CHECKPOINT = /^checkpoint(?:-.*)?\.json$/;

export function isCheckpoint(name: string): boolean {
  return CHECKPOINT.test(name);
}

/**
 * Sessions of a project folder without a chat file. Since 0.5.5 every run has one, and the log still names sessions whose file
 * was deleted; so if there are chats, only saved histories count.
 */
export function savedChats(
  folder: string,
  checkpoints: readonly string[],
  recorded: ReadonlySet<string>,
  hasChats: boolean,
  notes: ReadNotes,
): SavedChat[] {
  const log = join(folder, "logs.json");
  const entries = readLog(log, notes);
  const saved = new Map<string, SavedChat>();
  if (!hasChats) for (const { sessionId } of entries) saved.set(sessionId, { sessionId, log });
  for (const name of checkpoints) {
    const checkpoint = join(folder, name);
    const save = saveOf(entries, name);
    if (save === undefined) {
      const sessionId = `${basename(folder)}.${basename(name, ".json")}`;
      saved.set(sessionId, { sessionId, checkpoint });
    } else if ((save.at ?? 0) >= (saved.get(save.sessionId)?.savedMs ?? 0)) {
      saved.set(save.sessionId, { sessionId: save.sessionId, log, checkpoint, savedMs: save.at ?? 0 });
    }
  }
  return [...saved.values()].filter((chat) => !recorded.has(chat.sessionId));
}

/** The command that last wrote a checkpoint. Tags were not always encoded. */
function saveOf(entries: readonly LogEntry[], name: string): LogEntry | undefined {
  return entries.findLast(({ text }) => {
    const command = /^\/chat\s+save(?:\s+(.*))?$/.exec(text.trim());
    if (command === null) return false;
    const tag = command[1]?.trim();
    if (tag === undefined) return name === "checkpoint.json";
    return name === `checkpoint-${tag}.json` || name === `checkpoint-${encodeURIComponent(tag)}.json`;
  });
}

/** `/word`; a path has a second slash. */
const COMMAND = /^\/[\w-]+(?:\s|$)/;

function readLog(path: string, notes: ReadNotes): LogEntry[] {
  return (asArray(readJson(path, notes)) ?? []).flatMap((item) => logEntry(item) ?? []);
}

function readJson(path: string, notes: ReadNotes): unknown {
  try {
    return JSON.parse(readText(path, MAX_DOCUMENT_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) notes.damage(path);
    else if (codeOf(error) !== "ENOENT") notes.skip(path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
}

export function openSavedChat({ sessionId, log, checkpoint, savedMs }: SavedChat, notes: ReadNotes): Chat {
  const entries = log === undefined ? [] : readLog(log, notes).filter((entry) => entry.sessionId === sessionId);
  const saved = checkpoint === undefined ? undefined : readJson(checkpoint, notes);
  const history = savedHistory(saved);
  const prompts = entries.filter((entry) => !COMMAND.test(entry.text));
  // Without a readable checkpoint there are only the prompts.
  const later = history.length === 0 ? prompts : prompts.filter(({ at }) => (at ?? 0) > (savedMs ?? 0));
  const records = [
    ...fromHistory(history, prompts),
    ...later.map(({ text, timestamp }, index) => typedRecord(`log-${index}`, text, timestamp)),
  ];
  const chat = chatOf(records, { log: entries, checkpoint: saved }, notes);
  if (entries.length > 0) {
    chat.replay.seeHeader({ startTime: entries[0]!.timestamp, lastUpdated: entries.at(-1)!.timestamp });
  }
  return chat;
}

/** Contents as sent to the API, as chat records; prompts get their times from the log. */
function fromHistory(history: readonly Json[], prompts: readonly LogEntry[]): Json[] {
  let next = 0;
  return history.map((content, index) => {
    const record = savedRecord(`checkpoint-${index}`, content, history[index + 1]);
    if (kindOf(record) === "prompt") {
      const found = prompts.findIndex((entry, position) => position >= next && entry.text === promptText(record));
      if (found !== -1) {
        stampRecord(record, prompts[found]!.timestamp);
        next = found + 1;
      }
    }
    return record;
  });
}
