/** The parameters of a search beside its text: what a session must be to be looked at. */
import type { SessionQuery } from "../options.ts";
import type { RunIndex } from "../run-index.ts";

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

  /** `runs` know the tags. */
  constructor(settings: SessionFilter, runs?: RunIndex) {
    this.settings = settings;
    this.#runs = runs;
  }

  /** What can be told before anything is read. */
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

  /** Only the whole of a session tells these. */
  passesModels(models: readonly string[]): boolean {
    return this.settings.model === undefined || models.includes(this.settings.model);
  }
}
