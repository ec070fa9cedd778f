/** The parameters of a search beside its text: what a session must be to be looked at. */
import type { SessionQuery } from "../options.ts";
import type { SummaryContext } from "../summary.ts";
import { factsOfSubject, type Subject } from "./subject.ts";

/** All but `model`, which only the whole of a session can tell. */
export function passes(subject: Subject, query: SessionQuery, { runs }: SummaryContext): boolean {
  const { createdMs } = factsOfSubject(subject);
  if (query.since && createdMs < query.since.getTime()) return false;
  if (query.until && createdMs > query.until.getTime()) return false;
  if (query.tags && query.tags.length > 0) {
    const tagged = runs.of(subject.catalog.adapter.name, subject.source.sessionId).flatMap((run) => run.tags);
    return query.tags.some((tag) => tagged.includes(tag));
  }
  return true;
}
