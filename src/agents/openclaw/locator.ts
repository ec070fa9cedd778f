/** Locates a listed session, and holds the store's facts outside of the transcript. */
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { BlobTable, Fork } from "./format.ts";

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
