/** Finds the parents of forks that do not name them, among the sessions that share records with them. */
import type { SessionHead } from "../agents/adapter.ts";
import { digestOf } from "../lib/values/digest.ts";
import type { CatalogEntry, CatalogPart } from "./catalog-entry.ts";
import type { SessionCache } from "./cache/session-cache.ts";
import type { RelatedSessions } from "./related-sessions.ts";
import { isSettled } from "./cache/signature.ts";

/** Families that are already resolved. */
const resolvedFor = new WeakMap<CatalogEntry, string>();
/** Heads as their own files say, of sessions whose parent was set here. */
const ownHeads = new WeakMap<CatalogEntry, SessionHead>();

/** Each member stores the files of its whole family, so large families would need quadratic space. */
const FEW = 16;

export async function resolveForks(
  catalog: CatalogPart & { related(): Promise<RelatedSessions> },
  ids: Iterable<string>,
  keptSessions: SessionCache | undefined,
): Promise<void> {
  const { lineage } = catalog.adapter.history ?? {};
  if (!lineage) return;
  const entries = await catalog.entries();
  const related = await catalog.related();
  const kept = keptSessions?.forks(catalog.adapter.name);
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id) || related.isAlone(id)) continue;
    const family = [...related.family(id)].filter((member) => entries.has(member)).sort();
    for (const member of family) seen.add(member);
    if (family.length < 2) continue;
    const name = family.join("\n");
    if (family.every((member) => resolvedFor.get(entries.get(member)!) === name)) continue;
    // Only cached entries need sizes and times of files.
    const files = keptSessions && family.map((member) => `${member} ${catalog.signature(member)}`).join("\n");
    const signature = files && (family.length > FEW ? digestOf(files) : files);
    const isKept = keptSessions !== undefined && family.every((member) => kept?.get(member)?.stamp === signature);
    const parents = isKept
      ? new Map(family.map((member) => [member, kept!.get(member)!.parent]))
      : lineage(
          family.map((member) => {
            const entry = entries.get(member)!;
            return { source: entry.source, head: ownHead(entry) };
          }),
          catalog.env,
        );
    for (const member of family) {
      const entry = entries.get(member)!;
      const parent = parents.get(member) ?? undefined;
      setParent(entry, parent);
      resolvedFor.set(entry, name);
      if (keptSessions && !isKept && isSettled(entry.source))
        keptSessions.putFork(catalog.adapter.name, member, signature!, parent);
    }
  }
}

/** Cached heads are shared, so they are not changed. */
function setParent(entry: CatalogEntry, parent: string | undefined): void {
  entry.head = ownHead(entry);
  if (parent === undefined || entry.head.forkedFrom !== undefined) return;
  ownHeads.set(entry, entry.head);
  entry.head = { ...entry.head, forkedFrom: parent };
}

function ownHead(entry: CatalogEntry): SessionHead {
  return ownHeads.get(entry) ?? entry.head;
}
