/**
 * OpenClaw's facts about sessions outside of transcripts, by session key. Its counts and cost cover only the last run
 * and are not used.
 */
import { codeOf } from "../../lib/fs/directory.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { ReadNotes } from "../read-notes.ts";
import { indexEntry, type SessionEntry } from "./format.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

/** Entries of a `sessions.json`; empty if it is missing or invalid. */
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
    // Being rewritten or damaged; the transcripts are still listed by name.
    notes.skip(path, "is not a session index");
    return [];
  }
  return Object.entries(index).flatMap(([key, value]) => indexEntry(key, value) ?? []);
}

/** The name that the user or the agent gave; display names that repeat the key (`explicit:tables`) do not count. */
export function nameOf(entry: SessionEntry | undefined): string | undefined {
  if (entry === undefined || entry.label !== undefined) return entry?.label;
  const { key, displayName } = entry;
  return displayName !== undefined && key !== displayName && !key.endsWith(`:${displayName}`) ? displayName : undefined;
}
