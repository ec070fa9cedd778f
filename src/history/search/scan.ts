/** Searches without an index. Bytes rule out most sessions; the rest are read one at a time. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import type { Catalog } from "../catalog.ts";
import type { OnProgress } from "../progress.ts";
import { ByteCandidates } from "./byte-filter.ts";
import { familyOf, type Found } from "./results.ts";
import { type Filter, factsOf, fitsField, type SearchFacts } from "./filter.ts";
import { examine, type Matcher } from "./matcher.ts";
import { answerOf, MAYBE, NO, YES, type Plan, scoreOf } from "./plan.ts";

export interface UnknownSession {
  catalog: Catalog;
  source: SessionSource;
}

/** The result for a session. */
export interface Outcome extends UnknownSession {
  /** Undefined if it does not match. */
  found: Found | undefined;
}

/** Sessions between two looks at the clock. */
const STRETCH = 16;

export class SessionScan {
  readonly #plan: Plan;
  readonly #matcher: Matcher;
  readonly #filter: Filter;
  readonly #candidates: ByteCandidates;

  constructor(plan: Plan, matcher: Matcher, filter: Filter) {
    this.#plan = plan;
    this.#matcher = matcher;
    this.#filter = filter;
    this.#candidates = new ByteCandidates(plan);
  }

  /** Agents whose files hold titles of other sessions: a head read alone may have a worse title. */
  get withForeignTitles(): ReadonlySet<string> {
    return this.#candidates.withForeignTitles;
  }

  /** Sessions that bytes do not rule out. */
  async *outcomes(sessions: readonly UnknownSession[], onProgress: OnProgress | undefined): AsyncGenerator<Outcome> {
    const yielder = new EventLoopYielder();
    const total = sessions.length;
    for (const [number, session] of sessions.entries()) {
      const { adapter } = session.catalog;
      // If bytes do not show titles in other files, all heads are read. Most agents have no such titles.
      if (!this.#candidates.canTell(session.catalog)) await session.catalog.entries();
      const outcome = this.#look(session);
      if (outcome) yield outcome;
      const done = number + 1;
      if (outcome === undefined && done % STRETCH !== 0) continue;
      onProgress?.({ agent: adapter.name, stage: "sessions", done, total });
      await yielder.yieldIfDue();
    }
  }

  /** Undefined if it was ruled out without reading, or has no conversation. */
  #look({ catalog, source }: UnknownSession): Outcome | undefined {
    if (!this.#filter.passesUnread(catalog.adapter.name, source.sessionId)) return undefined;
    if (!this.#candidates.mayMatch(catalog, source)) return undefined;
    const head = catalog.head(source.sessionId);
    return head && { catalog, source, found: this.examine(catalog, source, head) };
  }

  /** Reads the session unless its head rules it out. */
  examine(catalog: Catalog, source: SessionSource, head: SessionHead): Found | undefined {
    const facts = factsOf(catalog.adapter.name, source, head);
    if (!this.#filter.passesDate(facts.createdMs) || !this.#mayBe(facts)) return undefined;
    const findings = examine({ catalog, source, head }, this.#matcher);
    if (findings?.found !== true || !this.#filter.passesModels(findings.models)) return undefined;
    const { updatedMs } = facts;
    const score = scoreOf(this.#plan, (leaf) => findings.passages[leaf]!, findings.length);
    return {
      catalog,
      source,
      unifiedId: joinUnifiedId(catalog.adapter.name, source.sessionId),
      head: () => head,
      family: familyOf(source, head),
      updatedMs,
      score,
      findings,
      certain: true,
    };
  }

  #mayBe(facts: SearchFacts): boolean {
    const answer = answerOf(this.#plan.root, (index) => {
      const leaf = this.#plan.leaves[index]!;
      // The head names one model; the others are in the messages.
      if (leaf.kind !== "session" || leaf.test.field === "model") return MAYBE;
      return fitsField(leaf.test, facts) ? YES : NO;
    });
    return answer !== NO;
  }
}
