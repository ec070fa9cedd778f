/** The search options other than the query: filters on sessions. */
import type { SessionQuery } from "../options.ts";
import type { RunIndex } from "../run-index.ts";
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { SessionField } from "./query.ts";
import { holds } from "./phrase.ts";

export type SessionFilter = Pick<SessionQuery, "since" | "until" | "model" | "tags">;

export function filterOf({ since, until, model, tags }: SessionQuery): SessionFilter {
  return {
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
    ...(model === undefined ? {} : { model }),
    ...(tags && tags.length > 0 ? { tags } : {}),
  };
}

export class Filter {
  readonly settings: SessionFilter;
  readonly #runs: RunIndex | undefined;

  /** `runs` hold the tags. */
  constructor(settings: SessionFilter, runs?: RunIndex) {
    this.settings = settings;
    this.#runs = runs;
  }

  /** Filters that need no reading. */
  passesUnread(agent: string, sessionId: string): boolean {
    const { tags } = this.settings;
    if (tags === undefined || this.#runs === undefined) return true;
    return this.#runs.tagsOf(agent, sessionId).some((tag) => tags.includes(tag));
  }

  passesDate(createdMs: number): boolean {
    const { since, until } = this.settings;
    return !(since && createdMs < since.getTime()) && !(until && createdMs > until.getTime());
  }

  get needsModels(): boolean {
    return this.settings.model !== undefined;
  }

  /** Filters that need the whole session. */
  passesModels(models: readonly string[]): boolean {
    return this.settings.model === undefined || models.includes(this.settings.model);
  }
}

export interface SearchFacts {
  agent: string;
  title: string;
  cwd: string | undefined;
  branch: string | undefined;
  createdMs: number;
  updatedMs: number;
  /** Every model known to have answered in it. */
  models: readonly string[];
}

export function factsOf(agent: string, source: SessionSource, head: SessionHead): SearchFacts {
  // Whole milliseconds, as in the list: equal dates are equal.
  const updatedMs = Math.trunc(head.updatedMs ?? source.updatedMs);
  return {
    agent,
    title: oneLine(head.title),
    cwd: head.cwd,
    branch: head.branch,
    createdMs: head.createdMs ?? updatedMs,
    updatedMs,
    models: head.model === undefined ? [] : [head.model],
  };
}

/** `after` and `before` match a session that was active then: it ended later, or began earlier. */
export function fitsField(test: SessionField, facts: SearchFacts): boolean {
  if ("ms" in test) return test.field === "after" ? facts.updatedMs >= test.ms : facts.createdMs < test.ms;
  const value = facts[test.field === "model" ? "models" : test.field] ?? [];
  const values = typeof value === "string" ? [value] : value;
  return test.anyOf.some((sequence) => values.some((text) => holds(text, sequence)));
}
