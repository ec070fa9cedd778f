/** One question on its way to its answer: what the agents' own indexes, our index, and reading the rest say. */
import type { NativeSearchHit } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import { foundInIndex, type KnownSession } from "./from-index.ts";
import type { IndexConnection } from "./index-connection.ts";
import type { SearchIndex } from "./index-reader.ts";
import { Matcher, type Findings } from "./matcher.ts";
import { askNatively, placeOf } from "./native-search.ts";
import type { Plan } from "./plan.ts";
import { ScanRun } from "./scan-run.ts";
import { SessionScan, type UnknownSession } from "./session-scan.ts";
import { examine } from "./subject.ts";
import { retitled } from "./title-changes.ts";

export interface QuestionOptions {
  plan: Plan;
  filter: Filter;
  /** Sessions wanted. */
  limit: number;
}

export class Question {
  /** Sessions the index does not know as they are. */
  lacks = 0;
  /** What an agent's own index has outside of conversations. */
  readonly notes: { agent: string; hit: NativeSearchHit }[] = [];
  readonly #connection: IndexConnection;
  readonly #query: SessionQuery;
  readonly #options: QuestionOptions;
  readonly #matcher: Matcher;

  constructor(connection: IndexConnection, query: SessionQuery, options: QuestionOptions) {
    this.#connection = connection;
    this.#query = query;
    this.#options = options;
    this.#matcher = new Matcher(options.plan);
  }

  /** Reads the session. Undefined when it is not found, or cannot be read. */
  examine({ catalog, source, head, native }: Found): Findings | undefined {
    const known = head();
    const findings = known && examine({ catalog, source, head: known }, this.#matcher);
    if (findings === undefined || !this.#options.filter.passesModels(findings.models)) return undefined;
    if (native === undefined) return findings.found ? findings : undefined;
    return { ...findings, found: true, places: findings.places.length > 0 ? findings.places : placeOf(native) };
  }

  /** What becomes of sessions, by unified id; a later outcome replaces an earlier one of the same session. */
  async *outcomes(catalogs: readonly Catalog[]): AsyncGenerator<[id: string, found: Found | undefined]> {
    const others: Catalog[] = [];
    for (const catalog of catalogs) {
      const found = this.#askNatively(catalog);
      if (found === undefined) others.push(catalog);
      else for (const one of found) yield [idOf(one), one];
    }
    const answer = this.#connection.ask(this.#query.index === "none", (index) => this.#askIndex(index, others));
    this.lacks = answer.unknown.length;
    for (const one of answer.found) yield [idOf(one), one];
    yield* this.#read(answer, others);
  }

  async *#read(answer: IndexAnswer, catalogs: readonly Catalog[]): AsyncGenerator<[string, Found | undefined]> {
    const { plan, filter } = this.#options;
    const scan = new SessionScan(plan, this.#matcher, filter);
    const run = new ScanRun(answer.unknown, scan, filter, this.#query.onProgress);
    for await (const one of run.outcomes()) yield [idOf(one), one.found];
    for (const catalog of catalogs) {
      const { name } = catalog.adapter;
      if (!answer.uncertainTitles.has(name) && !run.withForeignTitles.has(name)) continue;
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
      ({ source, createdMs }) => filter.passesUnread(catalog, source) && filter.passesDate(createdMs),
    );
  }

  #askIndex(index: SearchIndex | undefined, catalogs: readonly Catalog[]): IndexAnswer {
    const known: KnownSession[] = [];
    const unknown: UnknownSession[] = [];
    const current = new Set<string>();
    for (const catalog of catalogs) {
      for (const id of catalog.ids()) {
        const source = catalog.source(id)!;
        const indexed = index?.current(catalog, source);
        if (indexed === undefined) unknown.push({ catalog, source });
        else {
          known.push({ catalog, source, indexed });
          current.add(joinUnifiedId(catalog.adapter.name, id));
        }
      }
    }
    const isCurrent = (agent: string, id: string): boolean => current.has(joinUnifiedId(agent, id));
    const holders = index?.sessions.filter(({ hasTitles }) => hasTitles) ?? [];
    return {
      found: index ? foundInIndex(index, known, this.#options.plan, this.#options.filter) : [],
      unknown,
      titleInIndex: (agent, id) => (isCurrent(agent, id) ? index?.title(agent, id) : undefined),
      uncertainTitles: new Set(holders.flatMap(({ agent, sessionId }) => (isCurrent(agent, sessionId) ? [] : agent))),
    };
  }
}

interface IndexAnswer {
  found: Found[];
  unknown: UnknownSession[];
  titleInIndex: (agent: string, sessionId: string) => string | undefined;
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  uncertainTitles: ReadonlySet<string>;
}

function idOf({ catalog, source }: UnknownSession): string {
  return joinUnifiedId(catalog.adapter.name, source.sessionId);
}
