/**
 * Finding sessions without an index. Bytes first: what they rule out is not parsed. The rest is read and looked through,
 * one session at a time.
 */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
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

export interface Looked {
  head: SessionHead;
  /** Undefined: it is not found. */
  found: Found | undefined;
}

export class SessionScan {
  readonly plan: Plan;
  readonly #matcher: Matcher;
  readonly #filter: Filter;
  readonly #candidates: ByteCandidates;
  readonly #isPartial: boolean;

  /** `isPartial`: catalogs do not have all sessions of their agents. */
  constructor(plan: Plan, matcher: Matcher, filter: Filter, { isPartial = false } = {}) {
    this.plan = plan;
    this.#isPartial = isPartial;
    this.#matcher = matcher;
    this.#filter = filter;
    this.#candidates = new ByteCandidates(plan);
  }

  /** Agents in whose files titles of other sessions were met: heads read one by one may have lesser titles. */
  get withForeignTitles(): ReadonlySet<string> {
    return this.#candidates.withForeignTitles;
  }

  /** Whether the bytes of this agent's files say all that is needed before a session is read. */
  canTell(catalog: Catalog): boolean {
    return this.#candidates.canTell(catalog);
  }

  /** Undefined when it was ruled out without reading it; undecided when sessions are needed that the catalog lacks. */
  look({ catalog, source }: UnknownSession): Looked | "undecided" | undefined {
    if (this.#isRuledOut(catalog) || !this.#filter.passesUnread(catalog, source)) return undefined;
    const candidate = this.#candidates.mayMatch(catalog, source);
    if (candidate === false) return undefined;
    if (candidate === "undecided" && this.#isPartial) return "undecided";
    const head = catalog.head(source.sessionId);
    return head && { head, found: this.examine(catalog, source, head) };
  }

  /** Reads the session if its head does not rule it out. */
  examine(catalog: Catalog, source: SessionSource, head: SessionHead): Found | undefined {
    const facts = factsOf(catalog.adapter.name, source, head);
    if (!this.#filter.passesDate(facts.createdMs) || !this.#mayBe(facts)) return undefined;
    const findings = examine({ catalog, source, head }, this.#matcher);
    if (findings?.found !== true || !this.#filter.passesModels(findings.models)) return undefined;
    const { updatedMs } = facts;
    const score = scoreOf(this.plan, findings.passages, findings.length);
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
    const answer = answerOf(this.plan.root, (index) => {
      const leaf = this.plan.leaves[index]!;
      if (leaf.kind !== "session" || leaf.test.field !== "agent") return MAYBE;
      return isSo(leaf.test, { ...NOTHING, agent: adapter.name }) ? YES : NO;
    });
    return answer === NO;
  }

  #mayBe(facts: SearchFacts): boolean {
    const answer = answerOf(this.plan.root, (index) => {
      const leaf = this.plan.leaves[index]!;
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
