/** A session while it is filtered and sorted. Most are not returned, so a summary is made only of those that are. */
import type { SessionHead } from "../agents/adapter.ts";
import type { CostRecord } from "../core/cost.ts";
import type { SessionSummary } from "../core/session.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { withForeignFacts, type Account } from "./cost/account.ts";
import type { Listed } from "./list-order.ts";
import { exactSummary, shownTitle, summaryOf, type SummaryContext } from "./summary.ts";

export class ListRow implements Listed {
  readonly agent: string;
  readonly entry: CatalogEntry;
  readonly #context: SummaryContext;
  /** Undefined until it is counted. */
  account: Account | undefined;
  cost: CostRecord | undefined;

  constructor(agent: string, entry: CatalogEntry, context: SummaryContext) {
    this.agent = agent;
    this.entry = entry;
    this.#context = context;
  }

  get sessionId(): string {
    return this.entry.source.sessionId;
  }

  get unifiedId(): string {
    return joinUnifiedId(this.agent, this.sessionId);
  }

  get #head(): SessionHead {
    return this.account?.head ?? this.entry.head;
  }

  get title(): string {
    const title = this.entry.foreignTitle ?? this.#head.title;
    return shownTitle(title, this.#context.runs.labelOf(this.agent, this.sessionId));
  }

  get createdAt(): number {
    return this.#head.createdMs ?? this.updatedAt;
  }

  /** In whole milliseconds, as it is shown: files have finer times. */
  get updatedAt(): number {
    return Math.trunc(this.#head.updatedMs ?? this.entry.source.updatedMs);
  }

  get turnCount(): number {
    return this.account?.turnCount ?? 0;
  }

  get model(): string | undefined {
    return this.#head.model;
  }

  summary(): SessionSummary {
    const { agent, entry, account, cost } = this;
    if (!account) return summaryOf(agent, entry.source, entry.head, this.#context);
    const { messageCount, turnCount } = account;
    const head = withForeignFacts(account.head, entry);
    return exactSummary(agent, entry.source, { head, messageCount, turnCount }, cost, this.#context);
  }
}
