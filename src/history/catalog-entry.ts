/** The view of an agent's catalog that other modules depend on. */
import type { AgentAdapter, AgentEnv, SessionHead, SessionSource, SessionTally } from "../agents/adapter.ts";
import type { SkippedFile } from "../agents/read-notes.ts";

export interface CatalogEntry {
  source: SessionSource;
  head: SessionHead;
  /** The title that another session's file has for this one. */
  foreignTitle?: string;
}

/** An agent's sessions by id. */
export interface SourcesById extends Pick<Map<string, StampedSource>, "size" | "get" | "keys" | "values"> {
  /** Notes of a listing that was made for another caller. */
  readonly skipped?: readonly SkippedFile[];
  /** The only session that owns a file, if known. */
  ownerOf?(path: string): string | undefined;
}

/** `stamp`: its signature, if known. */
export type StampedSource = SessionSource & { readonly stamp?: string };

/** Modules that need only this do not depend on the catalog. */
export interface CatalogPart {
  readonly adapter: AgentAdapter;
  readonly env: AgentEnv;
  ids(): string[];
  source(sessionId: string): SessionSource | undefined;
  signature(sessionId: string): string | undefined;
  stampOf(path: string): string | undefined;
  entries(): Promise<ReadonlyMap<string, CatalogEntry>>;
  readAll(ids: readonly string[]): Promise<Map<string, SessionTally | null>>;
}
