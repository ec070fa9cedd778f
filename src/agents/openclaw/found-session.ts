/** A session found in an install, before duplicates in other places are removed. */
import type { FileStat } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import type { About, Transcript } from "./locator.ts";
import type { SessionEntry } from "./format.ts";
import { nameOf } from "./session-index.ts";
import type { TranscriptName } from "./transcript-names.ts";

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
