/** Which requests a report is about. */
import type { CostAggregationOptions } from "../options.ts";

export class CostFilter {
  readonly #options: CostAggregationOptions;
  /** No filter is set. */
  readonly wantsAll: boolean;

  constructor(options: CostAggregationOptions) {
    this.#options = options;
    const { since, until, model, tags = [] } = options;
    this.wantsAll = !since && !until && model === undefined && tags.length === 0;
  }

  /** By the time of the request, not of the session: a session can run over many days. */
  wants(at: number | undefined, model: string | undefined, tags: readonly string[]): boolean {
    if (this.wantsAll) return true;
    const { since, until, model: wantedModel, tags: wantedTags } = this.#options;
    if (since && (at === undefined || at < since.getTime())) return false;
    if (until && (at === undefined || at > until.getTime())) return false;
    if (wantedModel !== undefined && model !== wantedModel) return false;
    return !wantedTags || wantedTags.length === 0 || wantedTags.some((tag) => tags.includes(tag));
  }
}
