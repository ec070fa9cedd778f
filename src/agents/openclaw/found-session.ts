/** A session found in an install, before duplicates in other places are removed. */
import { codeOf, type FileStat } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import { parseObject } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { type BlobTable, type Fork, indexEntry, type SessionEntry } from "./format.ts";

/** In order of precedence: the first place that has the session is read. */
export const RANKS = ["live", "archive-file", "archive-row", "imported", "document"] as const;

export interface FoundSession extends Identity {
  about: About;
  /** For a sub-agent: its parent's key, and when it started. */
  spawned?: { by: string; atMs: number };
  path: string;
  files: FileStat[];
  updatedMs: number;
  transcript: Transcript;
}

export interface Identity {
  rank: (typeof RANKS)[number];
  /** Equal for all copies of a session. */
  identity: string;
  id: string;
  /** Replaces an id that another session already has. */
  distinctId: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Two agents may each have a session started with `--session-id demo-1`; a UUID is unique. */
export function liveIdentity(id: string, owner: string): Identity {
  const identity = UUID.test(id) ? id : `${owner} ${id}`;
  return { rank: "live", identity, id, distinctId: `${id}@${owner}` };
}

/** A reset or deleted transcript is a separate session, even if its id is in use again. */
export function archiveIdentity(rank: "archive-file" | "archive-row", id: string, name: TranscriptName): Identity {
  return { rank, identity: `archive ${name.distinctId}`, id, distinctId: name.distinctId };
}

export function documentIdentity(id: string, channel: string): Identity {
  return { rank: "document", identity: `document ${channel}/${id}`, id, distinctId: `${id}@${channel}` };
}

export function known(entry: SessionEntry | undefined): Pick<FoundSession, "about" | "spawned"> {
  if (entry === undefined) return { about: {} };
  return {
    about: {
      ...optional("name", nameOf(entry)),
      ...(entry.archived ? { archived: true } : {}),
      ...(entry.past ? {} : { key: entry.key }),
    },
    ...(entry.spawnedBy === undefined ? {} : { spawned: { by: entry.spawnedBy, atMs: entry.sinceMs ?? Infinity } }),
  };
}

/** Which session a key had at a given time. A sub-agent belongs to the session that its parent's key had when it started. */
export class KeyTimeline {
  readonly #sessions = new Map<string, { sessionId: string; sinceMs: number }[]>();

  add({ key, sessionId, sinceMs = 0 }: SessionEntry): void {
    const sessions = this.#sessions.get(key);
    if (sessions === undefined) this.#sessions.set(key, [{ sessionId, sinceMs }]);
    else sessions.push({ sessionId, sinceMs });
  }

  sessionAt(key: string, ms: number): string | undefined {
    let best: { sessionId: string; sinceMs: number } | undefined;
    for (const session of this.#sessions.get(key) ?? []) {
      if (session.sinceMs <= ms && session.sinceMs >= (best?.sinceMs ?? 0)) best = session;
    }
    return best?.sessionId;
  }
}

/**
 * The entries of a `sessions.json`; none if it is missing or invalid. Its counts and cost cover only the last run and are not
 * used.
 */
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
function nameOf(entry: SessionEntry | undefined): string | undefined {
  if (entry === undefined || entry.label !== undefined) return entry?.label;
  const { key, displayName } = entry;
  return displayName !== undefined && key !== displayName && !key.endsWith(`:${displayName}`) ? displayName : undefined;
}

/** The store's facts about a session outside of its transcript. */
export interface About {
  /** The name a person or the agent gave it. */
  name?: string;
  archived?: true;
  /** The parent session of a sub-agent. */
  parentId?: string;
  fork?: Fork;
  /** The key that currently has this session; the gateway cannot resume it without one. */
  key?: string;
  /** The profile of its install. */
  profile?: string;
}

export type Transcript =
  /** JSONL in the file at the source's path. */
  | { kind: "file" }
  /** The same, compressed. */
  | { kind: "compressed" }
  /** Rows of the database at the source's path; the head comes from the listing. */
  | { kind: "rows"; windowId: string; head: SessionHead }
  | { kind: "blob"; windowId: string; table: BlobTable; generation: string }
  /** The documented layout: one JSON document. */
  | { kind: "document"; channel: string };

export interface Locator {
  transcript: Transcript;
  about: About;
}

/** Messages older than the fork are copies. */
export function isCopied(writtenMs: number | undefined, fork: Fork | undefined): boolean {
  return fork !== undefined && writtenMs !== undefined && writtenMs < fork.atMs;
}

export function locatorOf(source: SessionSource): Locator {
  return source.locator as Locator;
}

/**
 * Parses transcript file names. Only the name distinguishes a session from a copy: checkpoints and trajectories also
 * end in `.jsonl`, and a checkpoint has the session's own header.
 */
export interface TranscriptName {
  /** The session id in the name. */
  id: string;
  /** Distinguishes files with the same id. */
  distinctId: string;
  archived?: "reset" | "deleted" | "imported";
  /** The whole file is zstd-compressed. */
  compressed: boolean;
}

/** `2026-11-15T02-07-53.296Z`: an ISO time that is valid in a file name. */
const STAMP = String.raw`\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:[.-]\d{3})?Z`;
const ARCHIVE = new RegExp(String.raw`^(.+)\.jsonl\.(reset|deleted)\.(${STAMP}|\d+)(\.[0-9A-Za-z-]+)?$`);
/** `<session key with _>.<id>.jsonl.imported-<ms>`. Ids chosen by a user, and their keys, may contain dots. */
const IMPORTED = /^(?:.+\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|[^.]+\.(.+))\.jsonl\.imported-\d+$/;
const CHECKPOINT = /\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/i;
/** A compaction that truncates the transcript continues in a new file with a Pi file name. */
const SUCCESSOR = new RegExp(`^${STAMP}_(.+)$`);
const THREAD = /^(.+)-topic-.+$/;

/** Undefined for other files: the index, locks, backups, checkpoints, trajectories. */
export function parseTranscriptName(name: string): TranscriptName | undefined {
  const compressed = name.endsWith(".zst");
  const plain = compressed ? name.slice(0, -".zst".length) : name;

  const archive = ARCHIVE.exec(plain);
  if (archive !== null) {
    const [, stem, reason, stamp] = archive as unknown as [string, string, "reset" | "deleted", string];
    return { id: idOf(stem), distinctId: `${stem}.${reason}.${stamp}`, archived: reason, compressed };
  }
  const imported = IMPORTED.exec(plain);
  if (imported !== null) {
    const stem = (imported[1] ?? imported[2])!;
    return { id: idOf(stem), distinctId: stem, archived: "imported", compressed };
  }
  if (!plain.endsWith(".jsonl") || plain.endsWith(".trajectory.jsonl") || CHECKPOINT.test(plain)) return undefined;
  const stem = plain.slice(0, -".jsonl".length);
  return { id: idOf(stem), distinctId: stem, compressed };
}

function idOf(stem: string): string {
  return SUCCESSOR.exec(stem)?.[1] ?? THREAD.exec(stem)?.[1] ?? stem;
}
