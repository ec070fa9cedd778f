/** Some agents write a session's title into another session's file. */
import type { SessionSource } from "../agents/adapter.ts";
import type { CatalogEntry } from "./catalog-entry.ts";

/** `keptKeys`: title keys of sessions whose heads are cached, since cached heads lack them. */
export function adoptTitles(
  entries: ReadonlyMap<string, CatalogEntry>,
  keptKeys: (source: SessionSource) => string[] | undefined,
): void {
  const titles = new Map<string, string>();
  for (const { head } of entries.values()) {
    if (head.titlesForOthers === undefined) continue;
    for (const [key, title] of Object.entries(head.titlesForOthers)) titles.set(key, title);
  }
  if (titles.size === 0) return;
  for (const entry of entries.values()) {
    const keys = entry.head.titleKeys ?? keptKeys(entry.source);
    const key = keys?.findLast((candidate) => titles.has(candidate));
    if (key === undefined) continue;
    entry.foreignTitle = titles.get(key)!;
    entry.head = { ...entry.head, title: entry.foreignTitle };
  }
}
