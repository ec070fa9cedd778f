/** What the index says of sessions whose files it knows as they are now. Nothing is read. */
import type { SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { IndexedSession, RowRange, SearchIndex } from "./index-reader.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { isSo } from "./session-fields.ts";

export interface KnownSession {
  catalog: Catalog;
  source: SessionSource;
  indexed: IndexedSession;
}

/** To be called inside a snapshot of the index. */
export function foundInIndex(
  index: SearchIndex,
  known: readonly KnownSession[],
  plan: Plan,
  filter: Filter,
  rows?: RowRange,
): Found[] {
  const passages = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text, rows) : undefined));
  const found: Found[] = [];
  for (const session of known) {
    const { catalog, source, indexed } = session;
    if (!indexed.hasConversation || !filter.passesDate(indexed.createdMs)) continue;
    if (!filter.passesUnread(catalog, source)) continue;
    const ask = (leaf: number): Answer =>
      answerOfLeaf(plan.leaves[leaf]!, passages[leaf]?.[indexed.number] ?? 0, indexed, index);
    const answer = answerOf(plan.root, ask);
    if (answer === NO) continue;
    if (filter.needsModels && !filter.passesModels(index.facts()[indexed.number]!.models)) continue;
    const counts = passages.map((counted) => counted?.[indexed.number] ?? 0);
    found.push({
      catalog,
      source,
      head: () => index.head(indexed) ?? catalog.head(source.sessionId),
      family: indexed.family,
      updatedMs: indexed.updatedMs,
      score: scoreOf(plan, counts, indexed.length),
      certain: answer === YES,
    });
  }
  return found;
}

/** Sessions looked at first when the newest are wanted. */
const NEWEST = 256;

/**
 * The same for whoever wants only the first of them, newest first: words that are in many sessions are in enough of the
 * newest, whose rows lie together. Undefined when that is not so, and all must be looked at.
 */
export function newestInIndex(
  index: SearchIndex,
  newestFirst: readonly KnownSession[],
  plan: Plan,
  filter: Filter,
  wanted: number,
): Found[] | undefined {
  const newest = newestFirst.slice(0, NEWEST);
  const rows = index.rowsOf(newest.map(({ indexed }) => indexed));
  if (rows === undefined) return undefined;
  const found = foundInIndex(index, newest, plan, filter, rows).filter(({ certain }) => certain);
  return found.length >= wanted ? found : undefined;
}

/** Words of their own are told by the index; whether they stand together, and in which messages, is not. */
function answerOfLeaf(leaf: Leaf, passages: number, indexed: IndexedSession, index: SearchIndex): Answer {
  if (leaf.kind === "session") return isSo(leaf.test, index.facts()[indexed.number]!) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (passages === 0) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}
