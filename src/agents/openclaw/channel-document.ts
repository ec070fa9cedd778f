/**
 * The documented layout: `sessions/<channel>/<session-id>.json`, a document with title and messages, each with tokens
 * and cost.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { asObject, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionReader } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { memoryRecords, openTree, summarizeTree } from "../shared/jsonl-tree.ts";
import { documentUpdatedMs, transcriptOf } from "./format-document.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

export function summarizeDocument(path: string, sessionId: string, notes: ReadNotes): SessionHead | undefined {
  let document: Json;
  try {
    document = parseDocument(path);
  } catch (error) {
    notes.skip(path, reasonOf(error));
    return undefined;
  }
  const { head, hasConversation } = summarizeTree(transcriptOf(document, sessionId));
  return hasConversation ? withDates(head, document) : undefined;
}

export function readDocument(
  path: string,
  sessionId: string,
  channel: string,
  notes: ReadNotes,
): SessionReader | undefined {
  let document: Json;
  try {
    document = parseDocument(path);
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} ${reasonOf(error)}.`, { cause: error });
  }
  const tree = openTree(memoryRecords(transcriptOf(document, sessionId)), notes);
  return tree && { ...tree, head: withDates(tree.head, document), raw: () => ({ channel, ...document }) };
}

/** Throws if the file cannot be read or is not a JSON object. */
function parseDocument(path: string): Json {
  const document = asObject(JSON.parse(readText(path, MAX_DOCUMENT_BYTES).replace(/^\uFEFF/, "")));
  if (document === undefined) throw new SyntaxError("not an object");
  return document;
}

function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? "is not a JSON document" : `cannot be read (${codeOf(error)})`;
}

function withDates(head: SessionHead, document: Json): SessionHead {
  return { ...head, ...optional("updatedMs", documentUpdatedMs(document) ?? head.updatedMs) };
}
