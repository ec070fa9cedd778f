/** Where a listed session is found again, and what the store says about it outside of the transcript. */
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { BlobTable, Fork } from "./format.ts";

export interface About {
  /** The name a person or the agent gave it. */
  name?: string;
  archived?: true;
  /** Session whose sub-agent this is. */
  parentId?: string;
  fork?: Fork;
  /** The session key that is at this session now; without one the gateway cannot go on with it. */
  key?: string;
  /** Of the install it belongs to. */
  profile?: string;
}

export type Transcript =
  /** Lines of JSON in the file at the source's path. */
  | { kind: "file" }
  /** The same, compressed as a whole. */
  | { kind: "compressed" }
  /** Rows of the database at the source's path; the head was taken when they were listed. */
  | { kind: "rows"; windowId: string; head: SessionHead }
  | { kind: "blob"; windowId: string; table: BlobTable; generation: string }
  /** The documented layout: one JSON document. */
  | { kind: "document"; channel: string };

export interface Locator {
  transcript: Transcript;
  about: About;
}

/** What is older than a fork was copied in. */
export function isCopied(writtenMs: number | undefined, fork: Fork | undefined): boolean {
  return fork !== undefined && writtenMs !== undefined && writtenMs < fork.atMs;
}

export function locatorOf(source: SessionSource): Locator {
  return source.locator as Locator;
}
