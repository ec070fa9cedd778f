/**
 * What OpenClaw knows about a session apart from its transcript. A conversation is a session key
 * (`agent:main:telegram:group:-100…`); the key names the session id, that is the transcript, it is at now.
 * Entries are the values of `sessions.json`, and rows of the database since 2026.7.2.
 * Their token counts and cost are those of the last run, not of the session, and are not used.
 */
import { basename } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { ReadNotes } from "../read-notes.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

export interface SessionEntry {
  key: string;
  sessionId: string;
  /** Name of the transcript; after a reset (2026.5) it is the old session's. */
  fileName?: string;
  label?: string;
  displayName?: string;
  archived?: boolean;
  /** When the key came to this session id. */
  sinceMs?: number;
  /** The key has gone on to another session id. */
  past?: true;
  /** Key of the session whose sub-agent this is. */
  spawnedBy?: string;
}

/** Entries of a `sessions.json`; none when there is no such file or it cannot be understood. */
export function readSessionIndex(path: string, notes: ReadNotes): SessionEntry[] {
  let text: string;
  try {
    text = readText(path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") notes.skip(path, `cannot be read (${code})`);
    return [];
  }
  const index = parseObject(text);
  if (index === undefined) {
    // Being rewritten, or damaged. The transcripts beside it are still listed, by their names.
    notes.skip(path, "is not a session index");
    return [];
  }
  return Object.entries(index).flatMap(([key, value]) => entryOf(key, value) ?? []);
}

function entryOf(key: string, value: unknown): SessionEntry | undefined {
  const fields = asObject(value);
  const sessionId = asText(fields?.["sessionId"]);
  if (fields === undefined || sessionId === undefined) return undefined;
  const file = asText(fields["sessionFile"]);
  return sessionEntry(key, sessionId, {
    // The path is of the machine that wrote it; only the name is used, on files that lie beside the index.
    // Later builds put a session key here.
    fileName: file?.endsWith(".jsonl") ? basename(file.replaceAll("\\", "/")) : undefined,
    label: fields["label"],
    displayName: fields["displayName"],
    archivedAt: fields["archivedAt"],
    startedAt: fields["sessionStartedAt"],
    spawnedBy: fields["spawnedBy"],
  });
}

export function sessionEntry(key: string, sessionId: string, fields: Json): SessionEntry {
  const entry: SessionEntry = { key, sessionId };
  for (const name of ["fileName", "label", "displayName", "spawnedBy"] as const) {
    const value = asText(fields[name])?.trim();
    if (value !== undefined && value !== "") entry[name] = value;
  }
  if (asTime(fields["archivedAt"]) !== undefined) entry.archived = true;
  const sinceMs = asTime(fields["startedAt"]);
  if (sinceMs !== undefined) entry.sinceMs = sinceMs;
  return entry;
}

/** The name a person or the agent gave; display names that only repeat the key (`explicit:tables`) are none. */
export function nameOf(entry: SessionEntry | undefined): string | undefined {
  if (entry === undefined || entry.label !== undefined) return entry?.label;
  const { key, displayName } = entry;
  return displayName !== undefined && key !== displayName && !key.endsWith(`:${displayName}`) ? displayName : undefined;
}
