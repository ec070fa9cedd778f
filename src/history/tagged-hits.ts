/** A search for tags alone: without words it is a list. */
import type { SessionSummary } from "../core/session.ts";
import { optional } from "../lib/values/optional.ts";
import type { SessionListOptions, SessionQuery } from "./options.ts";
import type { SessionHit } from "./search/results.ts";

const DEFAULT_LIMIT = 50;

export function isTagsOnly({ text, tags = [] }: SessionQuery): boolean {
  return text.trim() === "" && tags.length > 0;
}

interface Lists {
  list(agent: string, options: SessionListOptions): Promise<SessionSummary[]>;
  listAll(options: SessionListOptions): Promise<SessionSummary[]>;
}

/** The newest or the most expensive first. */
export async function taggedHits(sessions: Lists, { agent, sort, ...query }: SessionQuery): Promise<SessionHit[]> {
  const options = {
    ...query,
    limit: query.limit ?? DEFAULT_LIMIT,
    ...optional("counts", query.counts ?? (query.matches === false ? false : undefined)),
    ...optional("sort", sort === "cost" ? sort : undefined),
  };
  const rows = await (agent === undefined ? sessions.listAll(options) : sessions.list(agent, options));
  return rows.map((row) => ({ ...row, matches: [], titleMarks: [], copies: 0 }));
}
