/** What the index says of sessions whose files it knows as they are now. Nothing is read. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { SearchIndex } from "./index-reader.ts";
import type { Findings } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { isSo } from "./session-fields.ts";
import type { Shelf } from "./shelf.ts";

/** To be called inside a snapshot of the index. */
export function foundInIndex(shelf: Shelf, plan: Plan, filter: Filter): Found[] {
  const index = shelf.index!;
  const { agents, agent, sessionIds, created, length, hasConversation } = index.columns;
  const counts = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text) : undefined));
  const found: IndexedFound[] = [];
  for (let number = 0; number < index.size; number++) {
    if (shelf.isKnown[number] === 0 || !hasConversation[number] || !filter.passesDate(created[number]!)) continue;
    const answer = answerOf(plan.root, (leaf) => answerOfLeaf(plan.leaves[leaf]!, counts[leaf], number, index));
    if (answer === NO) continue;
    if (!filter.passesUnread(agents[agent[number]!]!, sessionIds[number]!)) continue;
    if (filter.needsModels && !filter.passesModels(index.facts()[number]!.models)) continue;
    const score = scoreOf(plan, (leaf) => counts[leaf]![number]!, length[number]!);
    found.push(new IndexedFound(shelf, number, score, answer === YES));
  }
  const families = index.families(found.map(({ number }) => number));
  for (const one of found) one.family = families.get(one.number)!;
  return found;
}

/** Words of their own are told by the index; whether they stand together, and in which messages, is not. */
function answerOfLeaf(leaf: Leaf, counts: Int32Array | undefined, number: number, index: SearchIndex): Answer {
  if (leaf.kind === "session") return isSo(leaf.test, index.facts()[number]!) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (counts![number] === 0) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}

/** A word can be in all sessions; what is shown of one is loaded when it is asked for. */
class IndexedFound implements Found {
  readonly number: number;
  readonly catalog: Catalog;
  readonly unifiedId: string;
  readonly updatedMs: number;
  readonly score: number;
  certain: boolean;
  family: readonly string[] = [];
  findings: Findings | undefined = undefined;
  readonly #shelf: Shelf;
  #loaded: Loaded | undefined;

  constructor(shelf: Shelf, number: number, score: number, certain: boolean) {
    const index = shelf.index!;
    this.#shelf = shelf;
    this.number = number;
    this.catalog = shelf.catalog(number);
    this.unifiedId = joinUnifiedId(index.agentOf(number), index.columns.sessionIds[number]!);
    this.updatedMs = index.columns.updated[number]!;
    this.score = score;
    this.certain = certain;
  }

  get source(): SessionSource {
    return this.#load().source;
  }

  map(): MessageMap | undefined {
    return this.#load().map;
  }

  head(): SessionHead | undefined {
    return this.#load().head;
  }

  #load(): Loaded {
    this.#loaded ??= this.#fromIndex() ?? this.#fromFiles();
    return this.#loaded;
  }

  #fromIndex(): Loaded | undefined {
    const { index } = this.#shelf;
    const shown = index!.shown(this.number);
    return shown && { ...shown, source: this.#shelf.listed(this.number) ?? shown.source };
  }

  /** It was changed, or taken out, since the index was asked: what it holds now is to be read. */
  #fromFiles(): Loaded {
    this.certain = false;
    const sessionId = this.#shelf.index!.columns.sessionIds[this.number]!;
    const source = this.catalog.source(sessionId);
    return {
      source: source ?? { sessionId, path: "", files: [], updatedMs: this.updatedMs },
      head: source && this.catalog.head(sessionId),
      map: undefined,
    };
  }
}

interface Loaded {
  source: SessionSource;
  /** Undefined: it is gone. */
  head: SessionHead | undefined;
  map: MessageMap | undefined;
}
