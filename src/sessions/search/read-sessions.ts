/** The search without an index: sessions are read, and looked through. */
import type { SessionSource } from "../../agents/adapter.ts";
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import { familyOf } from "./copies.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { Matcher } from "./matcher.ts";
import type { Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { factsOf } from "./session-fields.ts";
import { examine } from "./subject.ts";

export interface UnknownSession {
  catalog: Catalog;
  source: SessionSource;
}

export async function* readSessions(
  sessions: readonly UnknownSession[],
  plan: Plan,
  matcher: Matcher,
  filter: Filter,
): AsyncGenerator<Found> {
  const breather = new Breather();
  for (const { catalog, source } of sessions) {
    await breather.breathe();
    const head = (await catalog.entries()).get(source.sessionId)?.head;
    if (head === undefined) continue;
    const { createdMs, updatedMs } = factsOf(catalog.adapter.name, source, head);
    if (!filter.passes(catalog, source, createdMs)) continue;
    const findings = examine({ catalog, source, head }, matcher);
    if (findings?.found !== true || !filter.passesModels(findings.models)) continue;
    const score = scoreOf(plan, findings.passages, findings.length);
    const family = familyOf(source, head);
    yield { catalog, source, head: () => head, family, updatedMs, score, findings, certain: true };
  }
}
