/** Answers from the index, for sessions whose files are unchanged. Reads no session. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import { type Filter, fitsField } from "./filter.ts";
import type { Found } from "./results.ts";
import type { IndexedSession, SearchIndex } from "./index-reader.ts";
import type { Findings } from "./matcher.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Plan, scoreOf } from "./plan.ts";
import type { UnknownSession } from "./scan.ts";

export class KnownSessions {
  readonly index: SearchIndex | undefined;
  /** Sessions that are current in the index. */
  readonly known = new Set<IndexedSession>();
  readonly unknown: UnknownSession[] = [];
  /** Agents with a changed or deleted file that held titles of other sessions. */
  readonly uncertainTitles = new Set<string>();
  /** Whether the index holds deleted sessions. */
  holdsGone = false;
  readonly #catalogs: ReadonlyMap<string, Catalog>;

  constructor(index: SearchIndex | undefined, catalogs: readonly Catalog[]) {
    this.index = index;
    this.#catalogs = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
    for (const catalog of catalogs) this.#compare(catalog);
  }

  /** For a known session. */
  catalog({ agent }: IndexedSession): Catalog {
    return this.#catalogs.get(agent)!;
  }

  #compare(catalog: Catalog): void {
    const { index } = this;
    const { name } = catalog.adapter;
    const indexed = index?.of(name);
    let there = 0;
    for (const source of catalog.sources()) {
      const session = indexed?.get(source.sessionId);
      if (session) there++;
      if (session && session.signature === index!.signatureNow(session, catalog)) this.known.add(session);
      else this.unknown.push({ catalog, source });
    }
    this.holdsGone ||= there < (indexed?.size ?? 0);
    for (const session of indexed?.values() ?? [])
      if (session.hasTitles && !this.known.has(session)) this.uncertainTitles.add(name);
    for (const { path, reason, sessionId } of index?.problems(name) ?? []) {
      const source = catalog.source(sessionId);
      if (source && index!.current(catalog, source)) catalog.notes.skip(path, reason);
    }
  }
}

/** Call this inside a snapshot of the index. */
export function foundInIndex(known: KnownSessions, plan: Plan, filter: Filter): Found[] {
  const index = known.index!;
  const counts = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text) : undefined));
  const found: IndexedFound[] = [];
  for (const session of known.known) {
    if (!session.hasConversation || !filter.passesDate(session.createdMs)) continue;
    const answer = answerOf(plan.root, (leaf) => answerOfLeaf(plan.leaves[leaf]!, counts[leaf], session, index));
    if (answer === NO || !filter.passesUnread(session.agent, session.sessionId)) continue;
    if (filter.needsModels && !filter.passesModels(index.facts(session).models)) continue;
    const score = scoreOf(plan, (leaf) => counts[leaf]!.get(session.id) ?? 0, session.length);
    found.push(new IndexedFound(known, session, score, answer === YES));
  }
  const families = index.families(found.map(({ session }) => session.id));
  for (const one of found) one.family = families.get(one.session.id)!;
  return found;
}

/** The index knows single words, but not their order or their messages. */
function answerOfLeaf(
  leaf: Leaf,
  counts: ReadonlyMap<number, number> | undefined,
  session: IndexedSession,
  index: SearchIndex,
): Answer {
  if (leaf.kind === "session") return fitsField(leaf.test, index.facts(session)) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (!counts!.has(session.id)) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}

/** A word can match all sessions, so details are loaded on demand. */
class IndexedFound implements Found {
  readonly session: IndexedSession;
  readonly catalog: Catalog;
  readonly unifiedId: string;
  readonly updatedMs: number;
  readonly score: number;
  certain: boolean;
  family: readonly string[] = [];
  findings: Findings | undefined = undefined;
  readonly #index: SearchIndex;
  #loaded: { head: SessionHead | undefined } | undefined;

  constructor(known: KnownSessions, session: IndexedSession, score: number, certain: boolean) {
    this.#index = known.index!;
    this.session = session;
    this.catalog = known.catalog(session);
    this.unifiedId = joinUnifiedId(session.agent, session.sessionId);
    this.updatedMs = session.updatedMs;
    this.score = score;
    this.certain = certain;
  }

  get source(): SessionSource {
    return this.catalog.source(this.session.sessionId)!;
  }

  head(): SessionHead | undefined {
    this.#loaded ??= this.#index.shown(this.session) ?? this.#fromFiles();
    return this.#loaded.head;
  }

  /** The row was replaced or removed since the query: read the session instead. */
  #fromFiles(): { head: SessionHead | undefined } {
    this.certain = false;
    return { head: this.catalog.head(this.session.sessionId) };
  }
}
