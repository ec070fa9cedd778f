/**
 * Titles in other sessions' files. Some agents write a session's title into a later session's file, so a head read alone may have
 * a worse title than in the catalog, which reads all heads.
 */
import type { SessionHead } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { CatalogEntry } from "../catalog-entry.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase } from "../cache/database.ts";
import { SearchIndex } from "./index-reader.ts";
import type { IndexWriter } from "./index-writer.ts";

/** The head with the matching title, if there is one. */
export function adopted(head: SessionHead, titles: ReadonlyMap<string, string>): SessionHead {
  const key = head.titleKeys?.findLast((candidate) => titles.has(candidate));
  return key === undefined ? head : { ...head, title: titles.get(key)! };
}

/** Sessions whose title may differ once all files are considered. */
export async function retitled(
  catalog: Catalog,
  /** The title in the index; undefined for sessions that were read on their own. */
  titleInIndex: (sessionId: string) => string | undefined,
): Promise<CatalogEntry[]> {
  return [...(await catalog.entries()).values()].filter(({ source, head, foreignTitle }) => {
    const known = titleInIndex(source.sessionId);
    return known === undefined ? foreignTitle !== undefined : known !== oneLine(head.title);
  });
}

/** Titles that indexed sessions hold for others, by agent. */
export class Titles {
  /** Agents whose indexed sessions may have other titles now. */
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

/** Updates the titles of indexed sessions. */
export async function retitle(database: IndexDatabase, writer: IndexWriter, catalog: Catalog): Promise<void> {
  const agent = catalog.adapter.name;
  const titles = database.snapshot(() => {
    const index = new SearchIndex(database);
    return new Map(Array.from(index.of(agent), ([id, session]) => [id, index.facts(session).title]));
  });
  const changed = await retitled(catalog, (id) => titles.get(id));
  await database.transaction(() => {
    for (const { source, head } of changed) writer.retitle(agent, source.sessionId, head.title);
  });
}
