/** What the index says of sessions whose files it knows as they are now. Nothing is read. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { IndexedSession, Passages, SearchIndex } from "./index-reader.ts";
import type { Findings } from "./matcher.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Node, type Plan } from "./plan.ts";
import { scoreOf } from "./rank.ts";
import { isSo } from "./session-fields.ts";
import type { RowRange } from "./word-segments.ts";

export interface KnownSession {
  catalog: Catalog;
  source: SessionSource;
  indexed: IndexedSession;
}

export interface KnownSessions {
  /** Newest first. */
  known: readonly KnownSession[];
  byNumber: readonly (KnownSession | undefined)[];
  /** Those the index does not know. */
  unknown: readonly unknown[];
}

/** To be called inside a snapshot of the index. */
export function foundInIndex(
  index: SearchIndex,
  sessions: KnownSessions,
  plan: Plan,
  filter: Filter,
  rows?: RowRange,
): Found[] {
  const { known, byNumber, unknown } = sessions;
  // A session that is not in the index may be a copy of any.
  const familyOf = (indexed: IndexedSession): readonly string[] =>
    unknown.length > 0 ? indexed.family : index.sharedFamily(indexed);
  const passages = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text, rows) : undefined));
  const needed = neededPassages(plan.root, passages);
  const candidates = needed ? needed.sessions.map((number) => byNumber[number]) : known;
  const found: Found[] = [];
  for (const session of candidates) {
    const one = session && look(index, session, plan, filter, passages);
    if (one) found.push(new IndexedFound(session, index, familyOf(session.indexed), one));
  }
  return found;
}

function look(
  index: SearchIndex,
  session: KnownSession,
  plan: Plan,
  filter: Filter,
  passages: readonly (Passages | undefined)[],
): { score: number; certain: boolean } | undefined {
  const { catalog, source, indexed } = session;
  if (!indexed.hasConversation || !filter.passesDate(indexed.createdMs)) return undefined;
  if (!filter.passesUnread(catalog, source)) return undefined;
  const counts = passages.map((counted) => counted?.counts[indexed.number] ?? 0);
  const answer = answerOf(plan.root, (leaf) => answerOfLeaf(plan.leaves[leaf]!, counts[leaf]!, indexed, index));
  if (answer === NO) return undefined;
  if (filter.needsModels && !filter.passesModels(index.facts()[indexed.number]!.models)) return undefined;
  return { score: scoreOf(plan, counts, indexed.length), certain: answer === YES };
}

/** A class, because a word can be in all sessions. */
class IndexedFound implements Found {
  readonly catalog: Catalog;
  readonly source: SessionSource;
  readonly family: readonly string[];
  readonly updatedMs: number;
  readonly score: number;
  readonly certain: boolean;
  findings: Findings | undefined = undefined;
  readonly #indexed: IndexedSession;
  readonly #index: SearchIndex;

  constructor(
    { catalog, source, indexed }: KnownSession,
    index: SearchIndex,
    family: readonly string[],
    { score, certain }: { score: number; certain: boolean },
  ) {
    this.catalog = catalog;
    this.source = source;
    this.family = family;
    this.updatedMs = indexed.updatedMs;
    this.score = score;
    this.certain = certain;
    this.#indexed = indexed;
    this.#index = index;
  }

  head(): SessionHead | undefined {
    return this.#index.head(this.#indexed) ?? this.catalog.head(this.source.sessionId);
  }
}

/** Those of the rarest words that every session which is found must have. Undefined: there are none. */
function neededPassages(node: Node, passages: readonly (Passages | undefined)[]): Passages | undefined {
  if (node.op === "leaf") return passages[node.leaf];
  if (node.op !== "all") return undefined;
  const needed = node.of.flatMap((part) => neededPassages(part, passages) ?? []);
  return needed.toSorted((a, b) => a.sessions.length - b.sessions.length)[0];
}

/** Sessions looked at first when the newest are wanted. */
const NEWEST = 256;

/**
 * The same for whoever wants only the first of them, newest first: words that are in many sessions are in enough of the
 * newest, whose rows lie together. Undefined when that is not so, and all must be looked at.
 */
export function newestInIndex(
  index: SearchIndex,
  sessions: KnownSessions,
  plan: Plan,
  filter: Filter,
  wanted: number,
): Found[] | undefined {
  const newest = sessions.known.slice(0, NEWEST);
  const rows = index.rowsOf(newest.map(({ indexed }) => indexed));
  if (rows === undefined) return undefined;
  const oldest = newest.at(-1)?.indexed.updatedMs ?? 0;
  // Others have rows there as well, and some that were not looked at.
  const found = foundInIndex(index, { ...sessions, known: newest }, plan, filter, rows).filter(
    ({ certain, updatedMs }) => certain && updatedMs > oldest,
  );
  return found.length >= wanted ? found : undefined;
}

/** Words of their own are told by the index; whether they stand together, and in which messages, is not. */
function answerOfLeaf(leaf: Leaf, passages: number, indexed: IndexedSession, index: SearchIndex): Answer {
  if (leaf.kind === "session") return isSo(leaf.test, index.facts()[indexed.number]!) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (passages === 0) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}
