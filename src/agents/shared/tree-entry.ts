/**
 * One record of a JSONL tree, the format Pi invented and omp and OpenClaw inherited: a header line, then
 * entries that point at their parent. Brings the versions to one shape:
 *
 *   v1 (Pi up to 0.27)   no ids; the order of the lines is the conversation
 *   v2 (Pi 0.31)         ids; messages of extensions have the role `hookMessage`
 *   v3, v4 (OpenClaw)    ids; that role is called `custom`
 */
import { asNumber, asObject, asString, asText, asTime, type Json } from "../../lib/fields.ts";

export interface TreeHeader {
  id: string | undefined;
  version: number;
  startedMs: number | undefined;
  cwd: string | undefined;
  /** The session this one was copied from: a path (Pi, omp's branches and sub-agents) or an id (omp's forks). */
  parentSession: string | undefined;
  /** omp: the title known when the file was begun. */
  title: string | undefined;
}

export interface TreeEntry {
  id: string;
  /** Null: it begins the conversation anew. Undefined: the writer left it out. */
  parentId: string | null | undefined;
  type: string;
  /** When the entry was written. */
  at: number | undefined;
  record: Json;
  /** The inner message of a `message` entry. */
  message: Json | undefined;
}

/** The header, or undefined when the record is something else. */
export function readTreeHeader(record: Json): TreeHeader | undefined {
  if (record["type"] !== "session") return undefined;
  return {
    id: asText(record["id"]),
    version: asNumber(record["version"]) ?? 1,
    startedMs: asTime(record["timestamp"]),
    cwd: asText(record["cwd"]),
    // v1 called it `branchedFrom`.
    parentSession: asText(record["parentSession"]) ?? asText(record["branchedFrom"]),
    title: asText(record["title"]),
  };
}

/** Whether any agent of this family writes such records. */
export function isTreeRecord(record: Json): boolean {
  return asString(record["type"]) !== undefined || asString(record["role"]) !== undefined;
}

/**
 * Reads the records of one session in order. The answer is undefined for records outside the tree (headers,
 * omp's title slot, foreign objects). An entry without an id, as in v1, gets its number for one; one that does not
 * say what it follows (v1, and replies that some versions of OpenClaw put in) follows the entry before it.
 */
export function createEntryReader(): (record: Json) => TreeEntry | undefined {
  let position = 0;
  let previousId: string | null = null;
  return (record) => {
    const entry = readTreeEntry(record);
    const id = `#${position++}`;
    if (entry === undefined) return undefined;
    if (entry.id === "") {
      entry.id = id;
      entry.parentId ??= previousId;
    }
    if (entry.parentId === undefined) entry.parentId = previousId;
    if (!isBeside(entry)) previousId = entry.id;
    return entry;
  };
}

/** OpenClaw's entries beside the conversation do not become its end. */
export function isBeside({ record }: TreeEntry): boolean {
  return record["appendMode"] === "side";
}

/** One entry by itself; its id is empty when it was written without one. */
export function readTreeEntry(record: Json): TreeEntry | undefined {
  const type = asString(record["type"]) ?? (asString(record["role"]) === undefined ? undefined : "message");
  if (type === undefined || type === "session" || type === "title") return undefined;
  // A bare message without the envelope is what the documented layout describes.
  const message = type === "message" ? (asObject(record["message"]) ?? record) : undefined;
  return {
    id: asText(record["id"]) ?? "",
    // OpenClaw moves the leaf with a record of its own; as a child of its target it needs no rule of its own.
    // A target of null is the place before the first entry.
    parentId: parentOf(record[type === "leaf" && "targetId" in record ? "targetId" : "parentId"]),
    type,
    at: asTime(record["timestamp"]) ?? asTime(message?.["timestamp"]),
    record,
    message,
  };
}

function parentOf(id: unknown): string | null | undefined {
  return id === undefined ? undefined : (asText(id) ?? null);
}
