/**
 * Titles that lie in other sessions' files. Some agents write a session's title into the file of a later one, so that a
 * head read alone may have a lesser title than the catalog, which reads them all, would give it.
 */
import type { SessionHead } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text.ts";
import type { Catalog, CatalogEntry } from "../catalog.ts";

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
