/** Sessions that match, by their heads: of thousands no more is made than what filters them and puts them in order. */
import { resolve } from "node:path";
import type { SessionSummary } from "../core/session.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionListOptions } from "./options.ts";
import { summaryOf, type SummaryContext } from "./summary.ts";

/** What can be told from heads alone. */
export type HeadFilters = Pick<SessionListOptions, "since" | "until" | "tags" | "cwd">;

export async function matchingHeads(
  catalog: Catalog,
  options: HeadFilters,
  context: SummaryContext,
): Promise<MatchingHead[]> {
  const { since, until, tags = [], cwd } = options;
  const isFiltered = since !== undefined || until !== undefined || tags.length > 0 || cwd !== undefined;
  const found: MatchingHead[] = [];
  for (const entry of (await catalog.entries()).values()) {
    const row = new MatchingHead(catalog.adapter.name, entry, context);
    if (!isFiltered || matches(row.summary(), options)) found.push(row);
  }
  return found;
}

export class MatchingHead {
  readonly #agent: string;
  readonly #entry: CatalogEntry;
  readonly #context: SummaryContext;
  #made: SessionSummary | undefined;
  readonly updatedAt: Date;

  constructor(agent: string, entry: CatalogEntry, context: SummaryContext) {
    this.#agent = agent;
    this.#entry = entry;
    this.#context = context;
    this.updatedAt = new Date(entry.head.updatedMs ?? entry.source.updatedMs);
  }

  get sessionId(): string {
    return this.#entry.source.sessionId;
  }

  get unifiedId(): string {
    return joinUnifiedId(this.#agent, this.sessionId);
  }

  summary(): SessionSummary {
    this.#made ??= summaryOf(this.#agent, this.#entry.source, this.#entry.head, this.#context);
    return this.#made;
  }
}

function matches(summary: SessionSummary, { since, until, tags, cwd }: HeadFilters): boolean {
  if (since && summary.createdAt < since) return false;
  if (until && summary.createdAt > until) return false;
  if (tags && tags.length > 0 && !tags.some((tag) => summary.tags.includes(tag))) return false;
  if (cwd !== undefined && (summary.cwd === undefined || resolve(summary.cwd) !== resolve(cwd))) return false;
  return true;
}
