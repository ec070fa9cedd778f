/** What the index says of sessions whose files it knows as they are now. Nothing is read. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { SearchIndex } from "./index-reader.ts";
import type { Findings } from "./matcher.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Node, type Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { HAS_CONVERSATION } from "./session-columns.ts";
import { isSo } from "./session-fields.ts";
import type { Shelf } from "./shelf.ts";

/** Newest first. To be called inside a snapshot of the index. */
export function foundInIndex(shelf: Shelf, plan: Plan, filter: Filter): Found[] {
  const index = shelf.index!;
  const counts = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text) : undefined));
  const needed = neededCounts(plan.root, counts);
  const { newest, flags, created } = index.columns;
  const found: Found[] = [];
  for (const number of newest) {
    if (needed?.[number] === 0 || shelf.isKnown[number] === 0) continue;
    if ((flags[number]! & HAS_CONVERSATION) === 0 || !filter.passesDate(created[number]!)) continue;
    if (filter.needsTags && !filter.passesUnread(index.agentOf(number), index.shown(number)!.sessionId)) continue;
    const answer = answerOf(plan.root, (leaf) => answerOfLeaf(plan.leaves[leaf]!, counts[leaf], number, index));
    if (answer === NO) continue;
    if (filter.needsModels && !filter.passesModels(index.facts()[number]!.models)) continue;
    const score = scoreOf(plan, (leaf) => counts[leaf]![number]!, index.columns.length[number]!);
    found.push(new IndexedFound(shelf, number, score, answer === YES));
  }
  return found;
}

/** A class, because a word can be in all sessions. */
class IndexedFound implements Found {
  readonly score: number;
  readonly certain: boolean;
  readonly updatedMs: number;
  findings: Findings | undefined = undefined;
  readonly #shelf: Shelf;
  readonly #number: number;

  constructor(shelf: Shelf, number: number, score: number, certain: boolean) {
    this.#shelf = shelf;
    this.#number = number;
    this.score = score;
    this.certain = certain;
    this.updatedMs = shelf.index!.columns.updated[number]!;
  }

  get catalog(): Catalog {
    return this.#shelf.catalog(this.#number);
  }

  get source(): SessionSource {
    return this.#shelf.source(this.#number);
  }

  get unifiedId(): string {
    const index = this.#shelf.index!;
    return joinUnifiedId(index.agentOf(this.#number), index.shown(this.#number)!.sessionId);
  }

  get family(): readonly string[] | Int32Array {
    const index = this.#shelf.index!;
    // A session that is not in the index may be a copy of any.
    return this.#shelf.unknown.length > 0 ? index.family(this.#number) : index.sharedKeys(this.#number);
  }

  head(): SessionHead | undefined {
    return this.#shelf.index!.shown(this.#number)?.head ?? this.catalog.head(this.source.sessionId);
  }
}

/** Of the word that every session which is found must have. Undefined: there is none. */
function neededCounts(node: Node, counts: readonly (Int32Array | undefined)[]): Int32Array | undefined {
  if (node.op === "leaf") return counts[node.leaf];
  if (node.op !== "all") return undefined;
  for (const part of node.of) {
    const needed = neededCounts(part, counts);
    if (needed) return needed;
  }
  return undefined;
}

/** Words of their own are told by the index; whether they stand together, and in which messages, is not. */
function answerOfLeaf(leaf: Leaf, counts: Int32Array | undefined, number: number, index: SearchIndex): Answer {
  if (leaf.kind === "session") return isSo(leaf.test, index.facts()[number]!) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (counts![number] === 0) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}
