/** Reads chats of 0.5.5 to 0.38: one indented JSON document, rewritten on every change. */
import { closeSync, fstatSync } from "node:fs";
import type { Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import { documentParts } from "./format.ts";
import { chatOf, type Chat, type Skimmed } from "./chat.ts";
import { MAX_DOCUMENT_BYTES, openForReading, readText } from "../../lib/fs/foreign-file.ts";

/** Throws if the file cannot be opened; an unparsable chat has no records. */
export function openDocument(path: string, notes: ReadNotes): Chat {
  const text = readText(path, MAX_DOCUMENT_BYTES);
  const whole = parseObject(text);
  if (whole === undefined && text.trim() !== "") notes.damage(path);
  const document = whole ?? untilLastMessage(text);
  return chatOfDocument(document, notes);
}

/** From this size on, a list reads only the two ends. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;

/** The head, from both ends of a document. Throws if the file cannot be opened. */
export function skimDocument(path: string): Skimmed {
  const fd = openForReading(path);
  try {
    const { size } = fstatSync(fd);
    if (size <= HEAD_BYTES + TAIL_BYTES) {
      const text = readAt(fd, 0, size).toString("utf8");
      return { replay: chatOfDocument(parseObject(text) ?? untilLastMessage(text)).replay, whole: true };
    }
    const start = untilLastMessage(readAt(fd, 0, HEAD_BYTES).toString("utf8"));
    const end = afterMessages(readAt(fd, size - TAIL_BYTES, TAIL_BYTES).toString("utf8"));
    // The first message is longer than the head, or the document is not indented.
    const document = start ?? parseObject(readText(path, MAX_DOCUMENT_BYTES));
    return {
      replay: chatOfDocument(document && { ...document, ...end }).replay,
      whole: start === undefined,
    };
  } finally {
    closeSync(fd);
  }
}

function chatOfDocument(document: Json | undefined, notes?: ReadNotes): Chat {
  const { header, messages } = documentParts(document ?? {});
  const chat = chatOf(messages, document, notes);
  if (document) chat.replay.seeHeader(header);
  return chat;
}

/** The document up to its last complete message; messages end with a brace indented by four. */
function untilLastMessage(text: string): Json | undefined {
  const end = Math.max(text.lastIndexOf("\n    },"), text.lastIndexOf("\n    }\n"));
  return end === -1 ? undefined : parseObject(`${text.slice(0, end)}\n    }\n  ]\n}`);
}

/** The fields that follow the messages: `kind`, `summary`. */
function afterMessages(text: string): Json | undefined {
  const end = text.lastIndexOf("\n  ],");
  return end === -1 ? undefined : parseObject(`{${text.slice(end + "\n  ],".length)}`);
}
