/** Full-text search over the conversations themselves, in all agents. */
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import { summaryOf, type SummaryContext } from "../summary.ts";
import { Families } from "./copies.ts";
import { passes } from "./filters.ts";
import type { SessionHit } from "./hit.ts";
import { Matcher, type Findings } from "./matcher.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";
import { scoreOf } from "./rank.ts";
import { examine, type Subject } from "./subject.ts";

const DEFAULT_LIMIT = 50;

interface Found {
  subject: Subject;
  findings: Findings;
  score: number;
}

export async function searchSessions(
  catalogs: readonly Catalog[],
  query: SessionQuery,
  context: SummaryContext,
): Promise<SessionHit[]> {
  const parsed = parseQuery(query.text);
  if (parsed === undefined) return [];
  const plan = planOf(parsed);
  const matcher = new Matcher(plan);
  const found: Found[] = [];
  const breather = new Breather();
  for (const catalog of catalogs) {
    for (const { source, head } of (await catalog.entries()).values()) {
      const subject = { catalog, source, head };
      if (!passes(subject, query, context)) continue;
      const findings = examine(subject, matcher);
      if (findings?.found && (query.model === undefined || findings.models.includes(query.model))) {
        found.push({ subject, findings, score: scoreOf(plan, findings.passages, findings.length) });
      }
      await breather.breathe();
    }
  }
  const families = new Families();
  const ordered = found.sort(
    (a, b) => b.score - a.score || (a.subject.source.sessionId < b.subject.source.sessionId ? -1 : 1),
  );
  const numbers = ordered.map(({ subject }) => families.add(subject));
  const hits = new Map<number, SessionHit>();
  const best = ordered[0]?.score ?? 1;
  for (const [index, { subject, findings, score }] of ordered.entries()) {
    const family = families.rootOf(numbers[index]!);
    const first = query.foldCopies === false ? undefined : hits.get(family);
    if (first) first.copies++;
    else {
      hits.set(query.foldCopies === false ? index : family, {
        ...summaryOf(subject.catalog.adapter.name, subject.source, subject.head, context),
        relevanceScore: score / best,
        matches: findings.places,
        titleMarks: findings.titleMarks,
        copies: 0,
      });
    }
  }
  return [...hits.values()].slice(0, query.limit ?? DEFAULT_LIMIT);
}
