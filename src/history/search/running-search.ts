/** One search in progress: answers of the agents' own indexes, of our index, and of reading the rest. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId, splitUnifiedId } from "../../core/unified-id.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import type { SessionLabels } from "../session-labels.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./results.ts";
import { foundInIndex, KnownSessions } from "./from-index.ts";
import { mayBeRead, type IndexConnection, type SearchIndex } from "./index-reader.ts";
import { examine, Matcher, type Findings } from "./matcher.ts";
import { askNatively, notesOf, placeOf } from "./native-search.ts";
import { SequenceFinder } from "./phrase.ts";
import type { Plan } from "./plan.ts";
import type { Stretch } from "./snippets.ts";
import { SessionScan, type UnknownSession } from "./scan.ts";
import { adopted, retitled } from "./title-changes.ts";

export interface RunningSearchOptions {
  plan: Plan;
  filter: Filter;
  labels: SessionLabels;
  /** The wanted sessions. */
  limit: number;
}

export class RunningSearch {
  /** Whether the index lacks sessions or holds deleted ones. */
  isBehind = false;
  /** Hits of an agent's own index outside of conversations. */
  readonly notes: { agent: string; hit: NativeSearchHit }[] = [];
  readonly #connection: IndexConnection;
  readonly #query: SessionQuery;
  readonly #options: RunningSearchOptions;
  readonly #matcher: Matcher;

  constructor(connection: IndexConnection, query: SessionQuery, options: RunningSearchOptions) {
    this.#connection = connection;
    this.#query = query;
    this.#options = options;
    this.#matcher = new Matcher(options.plan);
  }

  /** Reads the session. Undefined if it does not match or cannot be read. */
  examine(found: Found): Findings | undefined {
    const { catalog, native } = found;
    // Loading it shows whether it is still certain.
    const head = found.head();
    if (head === undefined) return undefined;
    const { source, certain } = found;
    const placesOnly = certain && native === undefined;
    const subject = { catalog, source, head };
    const findings = examine(subject, this.#matcher, placesOnly);
    if (placesOnly) return findings;
    if (findings === undefined || !this.#options.filter.passesModels(findings.models)) return undefined;
    if (native === undefined) return findings.found ? findings : undefined;
    return { ...findings, found: true, places: findings.places.length > 0 ? findings.places : placeOf(native) };
  }

  /** Known results first, then results of other sessions, by unified id. A later result replaces an earlier one. */
  ask(catalogs: readonly Catalog[]): Asked {
    const found: Found[] = [];
    const others: Catalog[] = [];
    for (const catalog of catalogs) {
      const native = this.#askNatively(catalog);
      if (native === undefined) {
        others.push(catalog);
        const { plan, limit } = this.#options;
        const { name: agent } = catalog.adapter;
        for (const hit of notesOf(catalog, this.#query, plan, limit)) this.notes.push({ agent, hit });
      } else for (const one of native) found.push(one);
    }
    const answer = this.#connection.ask(this.#query.index === "none", (index) => this.#askIndex(index, others));
    const { unknown } = answer.known;
    this.isBehind = answer.known.holdsGone || unknown.some(({ source }) => mayBeRead(source));
    return { found: [...found, ...answer.found], others: this.#others(answer, others, catalogs) };
  }

  /** Positions of the words in a title. */
  marksIn(title: string): Stretch[] {
    return this.#matcher.marksIn(title);
  }

  async *#others(
    answer: IndexAnswer,
    catalogs: readonly Catalog[],
    all: readonly Catalog[],
  ): AsyncGenerator<[string, Found | undefined]> {
    yield* this.#read(answer, catalogs);
    const { plan, filter, labels } = this.#options;
    const scan = new SessionScan(plan, this.#matcher, filter);
    for await (const { catalog, source, head } of namedSessions(all, plan, labels)) {
      if (!filter.passesUnread(catalog.adapter.name, source.sessionId)) continue;
      const found = scan.examine(catalog, source, head);
      // A hit of an agent's own index is final.
      if (found !== undefined || catalogs.includes(catalog)) yield [idOf({ catalog, source }), found];
    }
  }

  async *#read(answer: IndexAnswer, catalogs: readonly Catalog[]): AsyncGenerator<[string, Found | undefined]> {
    const { unknown, uncertainTitles } = answer.known;
    if (unknown.length + uncertainTitles.size === 0) return;
    const { plan, filter } = this.#options;
    const scan = new SessionScan(plan, this.#matcher, filter);
    for await (const one of scan.outcomes(unknown, this.#query.onProgress)) yield [idOf(one), one.found];
    const isUncertain = (name: string): boolean => uncertainTitles.has(name) || scan.withForeignTitles.has(name);
    for (const session of unknown) {
      const { catalog, source } = session;
      const { name } = catalog.adapter;
      const titles = isUncertain(name) ? undefined : answer.titlesForOthers.get(name);
      const own = titles && catalog.head(source.sessionId);
      const head = own && adopted(own, titles);
      if (head !== own) yield [idOf(session), scan.examine(catalog, source, head!)];
    }
    for (const catalog of catalogs) {
      const { name } = catalog.adapter;
      if (!isUncertain(name)) continue;
      for (const { source, head } of await retitled(catalog, (id) => answer.titleInIndex(name, id))) {
        yield [joinUnifiedId(name, source.sessionId), scan.examine(catalog, source, head)];
      }
    }
  }

  #askNatively(catalog: Catalog): Found[] | undefined {
    const { plan, filter, limit } = this.#options;
    const answer = askNatively(catalog, this.#query, plan, limit);
    if (answer === undefined) return undefined;
    for (const hit of answer.notes) this.notes.push({ agent: catalog.adapter.name, hit });
    return answer.found.filter(
      ({ source, createdMs }) =>
        filter.passesUnread(catalog.adapter.name, source.sessionId) && filter.passesDate(createdMs),
    );
  }

  #askIndex(index: SearchIndex | undefined, catalogs: readonly Catalog[]): IndexAnswer {
    const { plan, filter } = this.#options;
    const known = new KnownSessions(index, catalogs);
    if (index === undefined) return { known, found: [], titlesForOthers: new Map(), titleInIndex: () => undefined };
    const agents = new Set(known.unknown.map(({ catalog }) => catalog.adapter.name));
    return {
      known,
      titlesForOthers: new Map(Array.from(agents, (agent) => [agent, index.titlesForOthers(agent)])),
      found: foundInIndex(known, plan, filter),
      titleInIndex: (agent, id) => {
        const session = index.of(agent).get(id);
        const title = session && known.known.has(session) ? index.shown(session)?.head?.title : undefined;
        return title === undefined ? undefined : oneLine(title);
      },
    };
  }
}

interface Asked {
  found: Found[];
  others: AsyncGenerator<[id: string, found: Found | undefined]>;
}

interface IndexAnswer {
  known: KnownSessions;
  found: Found[];
  /** By agent: titles that indexed sessions hold for sessions that must be read. */
  titlesForOthers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  titleInIndex: (agent: string, sessionId: string) => string | undefined;
}

function idOf({ catalog, source }: UnknownSession): string {
  return joinUnifiedId(catalog.adapter.name, source.sessionId);
}

interface NamedSession {
  catalog: Catalog;
  source: SessionSource;
  /** With both titles. */
  head: SessionHead;
}

/** Sessions whose given name contains a word of the query. Given names count as titles, and are not in the index. */
async function* namedSessions(
  catalogs: readonly Catalog[],
  plan: Plan,
  labels: SessionLabels,
): AsyncGenerator<NamedSession> {
  if (labels.size === 0) return;
  const finder = new SequenceFinder(
    plan.leaves.flatMap((leaf) => {
      if (leaf.kind === "text") return [leaf.text];
      return leaf.kind === "session" && leaf.test.field === "title" ? leaf.test.anyOf : [];
    }),
  );
  const byName = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
  for (const [id, { name }] of labels) {
    if (name === undefined) continue;
    let hasWord = false;
    finder.search(name, { onFound: () => undefined, onStep: () => (hasWord = true) });
    const parts = hasWord ? splitUnifiedId(id) : null;
    const catalog = parts && byName.get(parts.agent);
    if (!catalog) continue;
    const entry = (await catalog.entries()).get(parts.nativeSessionId);
    if (entry) yield { catalog, source: entry.source, head: { ...entry.head, title: `${name} ${entry.head.title}` } };
  }
}
