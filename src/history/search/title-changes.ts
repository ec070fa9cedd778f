/**
 * Titles that lie in other sessions' files. Some agents write a session's title into the file of a later one, so that a
 * head read alone may have a lesser title than the catalog, which reads them all, would give it.
 */
import type { SessionHead } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { CatalogEntry } from "../catalog-entry.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase } from "../cache/database.ts";
import { SearchIndex } from "./index-reader.ts";
import type { IndexWriter } from "./index-writer.ts";

/** The head with the title one of these is for it, if there is one. */
export function adopted(head: SessionHead, titles: ReadonlyMap<string, string>): SessionHead {
  const key = head.titleKeys?.findLast((candidate) => titles.has(candidate));
  return key === undefined ? head : { ...head, title: titles.get(key)! };
}

/** Sessions whose title, all files considered, may be another than the one they were taken to have. */
export async function retitled(
  catalog: Catalog,
  /** The title it is known by in the index; undefined for those that were read on their own. */
  titleInIndex: (sessionId: string) => string | undefined,
): Promise<CatalogEntry[]> {
  return [...(await catalog.entries()).values()].filter(({ source, head, foreignTitle }) => {
    const known = titleInIndex(source.sessionId);
    return known === undefined ? foreignTitle !== undefined : known !== oneLine(head.title);
  });
}

/** Titles that sessions in the index hold for others, by agent. */
export class Titles {
  /** Agents of which sessions already in the index may have other titles now. */
  readonly changed = new Set<string>();
  readonly #index: SearchIndex;
  readonly #byAgent = new Map<string, Map<string, string>>();

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  of(agent: string): Map<string, string> {
    let titles = this.#byAgent.get(agent);
    if (titles === undefined) this.#byAgent.set(agent, (titles = this.#index.titlesForOthers(agent)));
    return titles;
  }
}

/** Gives sessions in the index the titles they have now. */
export async function retitle(database: IndexDatabase, writer: IndexWriter, catalog: Catalog): Promise<void> {
  const agent = catalog.adapter.name;
  const titles = database.snapshot(() => {
    const index = new SearchIndex(database);
    const own = index.sessions.filter((session) => session.agent === agent);
    return new Map(own.map((session) => [session.sessionId, index.facts(session).title]));
  });
  const changed = await retitled(catalog, (id) => titles.get(id));
  await database.transaction(() => {
    for (const { source, head } of changed) writer.retitle(agent, source.sessionId, head.title);
  });
}
