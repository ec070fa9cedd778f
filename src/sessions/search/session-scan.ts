/**
 * The search without an index. Bytes first: what they rule out is not parsed. The rest is read and looked through, one
 * session at a time, and told of as soon as it is known.
 */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import { ByteCandidates } from "./byte-candidates.ts";
import { familyOf } from "./copies.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { Matcher } from "./matcher.ts";
import { answerOf, MAYBE, NO, YES, type Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { factsOf, isSo, type SearchFacts } from "./session-fields.ts";
import { examine } from "./subject.ts";

export interface UnknownSession {
  catalog: Catalog;
  source: SessionSource;
}

/** What became of a session. A later one for the same session replaces the earlier. */
export interface Outcome extends UnknownSession {
  /** Undefined: it is not found. */
  found: Found | undefined;
  /** The title it was taken to have; undefined when that could not matter. */
  title: string | undefined;
}

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

  /** Agents in whose files titles of other sessions were met: heads read one by one may have lesser titles. */
  get withForeignTitles(): ReadonlySet<string> {
    return this.#candidates.withForeignTitles;
  }

  async *run(sessions: readonly UnknownSession[]): AsyncGenerator<Outcome> {
    const breather = new Breather();
    for (const { catalog, source } of sessions) {
      await breather.breathe();
      if (this.#isRuledOut(catalog) || !this.#candidates.mayMatch(catalog, source)) continue;
      // Where bytes do not tell of titles in other files, all heads are read; most agents have none there.
      if (!this.#candidates.canTell(catalog)) await catalog.entries();
      const head = catalog.head(source.sessionId);
      if (head) yield { catalog, source, title: head.title, found: this.examine(catalog, source, head) };
    }
  }

  /** Reads the session if its head does not rule it out. */
  examine(catalog: Catalog, source: SessionSource, head: SessionHead): Found | undefined {
    const facts = factsOf(catalog.adapter.name, source, head);
    if (!this.#filter.passes(catalog, source, facts.createdMs) || !this.#mayBe(facts)) return undefined;
    const findings = examine({ catalog, source, head }, this.#matcher);
    if (findings?.found !== true || !this.#filter.passesModels(findings.models)) return undefined;
    const { updatedMs } = facts;
    const score = scoreOf(this.#plan, findings.passages, findings.length);
    return {
      catalog,
      source,
      head: () => head,
      family: familyOf(source, head),
      updatedMs,
      score,
      findings,
      certain: true,
    };
  }

  /** By the agent's name alone. */
  #isRuledOut({ adapter }: Catalog): boolean {
    return (
      answerOf(this.#plan.root, (index) => {
        const leaf = this.#plan.leaves[index]!;
        if (leaf.kind !== "session" || leaf.test.field !== "agent") return MAYBE;
        return isSo(leaf.test, { ...NOTHING, agent: adapter.name }) ? YES : NO;
      }) === NO
    );
  }

  #mayBe(facts: SearchFacts): boolean {
    const answer = answerOf(this.#plan.root, (index) => {
      const leaf = this.#plan.leaves[index]!;
      // The head names one model; others are known from the messages.
      if (leaf.kind !== "session" || leaf.test.field === "model") return MAYBE;
      return isSo(leaf.test, facts) ? YES : NO;
    });
    return answer !== NO;
  }
}

const NOTHING: SearchFacts = {
  agent: "",
  title: "",
  cwd: undefined,
  branch: undefined,
  createdMs: 0,
  updatedMs: 0,
  models: [],
};
