/** The sessions of one agent, as far as what is made from them must know of their catalog. */
import type {
  AgentAdapter,
  AgentEnv,
  BilledSession,
  SessionHead,
  SessionSource,
  SessionTally,
} from "../agents/adapter.ts";
import type { SkippedFile } from "../agents/read-notes.ts";

export interface CatalogEntry {
  source: SessionSource;
  head: SessionHead;
  /** The title another session's file has for this one. */
  foreignTitle?: string;
}

/** An agent's sessions by id. */
export interface SourcesById extends Pick<Map<string, StampedSource>, "size" | "get" | "keys" | "values"> {
  /** What was left out when they were listed for somebody else. */
  readonly skipped?: readonly SkippedFile[];
  /** The session that a file is of and no other, where that is known. */
  ownerOf?(path: string): string | undefined;
}

/** `stamp`: its signature, where that is known. */
type StampedSource = SessionSource & { readonly stamp?: string };

/** `empty`: sessions without a conversation. What cannot be read is left out, and noted. */
export interface CountedSessions {
  sessions: Map<string, BilledSession>;
  empty: string[];
}

/** Who needs no more than this of a catalog does not depend on it. */
export interface CatalogPart {
  readonly adapter: AgentAdapter;
  readonly env: AgentEnv;
  ids(): string[];
  source(sessionId: string): SessionSource | undefined;
  signature(sessionId: string): string | undefined;
  stampOf(path: string): string | undefined;
  entries(): Promise<ReadonlyMap<string, CatalogEntry>>;
  readAll(ids: readonly string[]): Promise<Map<string, SessionTally | null>>;
  countAll(ids: readonly string[], onlyBilled: boolean): Promise<CountedSessions>;
}
