/** The parameters of a search beside its text: what a session must be to be looked at. */
import type { SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import type { SummaryContext } from "../summary.ts";

export class Filter {
  readonly #query: SessionQuery;
  readonly #context: SummaryContext;

  constructor(query: SessionQuery, context: SummaryContext) {
    this.#query = query;
    this.#context = context;
  }

  /** All but the model, which only the whole of a session can tell. */
  passes({ adapter }: Catalog, source: SessionSource, createdMs: number): boolean {
    const { since, until, tags } = this.#query;
    if (since && createdMs < since.getTime()) return false;
    if (until && createdMs > until.getTime()) return false;
    if (tags === undefined || tags.length === 0) return true;
    return this.#context.runs
      .of(adapter.name, source.sessionId)
      .some((run) => run.tags.some((tag) => tags.includes(tag)));
  }

  get needsModels(): boolean {
    return this.#query.model !== undefined;
  }

  passesModels(models: readonly string[]): boolean {
    return this.#query.model === undefined || models.includes(this.#query.model);
  }
}
