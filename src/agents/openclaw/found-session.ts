/** A session met somewhere in an install, before it is known whether another place has it too. */
import type { FileStat } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import type { About, Transcript } from "./locator.ts";
import type { SessionEntry } from "./format.ts";
import { nameOf } from "./session-index.ts";
import type { TranscriptName } from "./transcript-names.ts";

/** In the order in which the same session is looked for; the first one that has it is read. */
export const RANKS = ["live", "archive-file", "archive-row", "imported", "document"] as const;

export interface FoundSession extends Identity {
  about: About;
  /** For a sub-agent: key of its parent, and when it was started. */
  spawned?: { by: string; atMs: number };
  path: string;
  files: FileStat[];
  updatedMs: number;
  transcript: Transcript;
}

export interface Identity {
  rank: (typeof RANKS)[number];
  /** Equal for all copies of one session. */
  identity: string;
  id: string;
  /** Stands in for the id when another session has it. */
  distinctId: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Two agents may each have a session that was started as `--session-id demo-1`; a UUID is the same session anywhere. */
export function liveIdentity(id: string, owner: string): Identity {
  const identity = UUID.test(id) ? id : `${owner} ${id}`;
  return { rank: "live", identity, id, distinctId: `${id}@${owner}` };
}

/** What was reset or deleted is a session of its own, even if another one goes on under the same id. */
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
