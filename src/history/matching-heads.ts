/** Sessions that match, by their heads: of thousands no more is made than what filters them and puts them in order. */
import { resolve, sep } from "node:path";
import type { SessionSummary } from "../core/session.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionListOptions } from "./options.ts";
import { summaryOf, type SummaryContext } from "./summary.ts";

/** What can be told from heads alone. */
export type HeadFilters = Pick<SessionListOptions, (typeof HEAD_FILTERS)[number]>;

const HEAD_FILTERS = ["since", "until", "tags", "cwd", "under", "branch", "title", "starred", "only"] as const;

export function isFiltered(options: HeadFilters): boolean {
  return HEAD_FILTERS.some((name) => options[name] !== undefined && (name !== "tags" || options.tags!.length > 0));
}

export async function matchingHeads(
  catalog: Catalog,
  options: HeadFilters,
  context: SummaryContext,
): Promise<MatchingHead[]> {
  const takesAll = !isFiltered(options);
  const found: MatchingHead[] = [];
  for (const entry of (await catalog.entries()).values()) {
    const row = new MatchingHead(catalog.adapter.name, entry, context);
    if (takesAll || matches(row.summary(), options)) found.push(row);
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

  get createdAt(): Date {
    return this.summary().createdAt;
  }

  summary(): SessionSummary {
    this.#made ??= summaryOf(this.#agent, this.#entry.source, this.#entry.head, this.#context);
    return this.#made;
  }
}

function matches(summary: SessionSummary, options: HeadFilters): boolean {
  const { since, until, tags, cwd, under, branch, title, starred, only } = options;
  if (since && summary.createdAt < since) return false;
  if (until && summary.createdAt > until) return false;
  if (tags && tags.length > 0 && !tags.some((tag) => summary.tags.includes(tag))) return false;
  if (cwd !== undefined && (summary.cwd === undefined || resolve(summary.cwd) !== resolve(cwd))) return false;
  if (under !== undefined && !isUnder(summary.cwd, resolve(under))) return false;
  if (branch !== undefined && summary.branch !== branch) return false;
  if (title !== undefined && !summary.title.toLowerCase().includes(title.toLowerCase())) return false;
  if (starred === true && summary.starred !== true) return false;
  return only === undefined || only.has(summary.unifiedId);
}

function isUnder(path: string | undefined, directory: string): boolean {
  if (path === undefined) return false;
  const own = resolve(path);
  return own === directory || own.startsWith(directory === sep ? sep : `${directory}${sep}`);
}
