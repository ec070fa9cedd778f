/** Parents of forks that do not name them themselves: found among the sessions that share records with them. */
import type { Catalog } from "./catalog.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import { isSettled } from "./search/signature.ts";

export async function resolveForks(
  catalog: Catalog,
  ids: Iterable<string>,
  keptSessions: KeptSessions | undefined,
): Promise<void> {
  const { lineage } = catalog.adapter.history ?? {};
  if (!lineage) return;
  const entries = await catalog.entries();
  const kin = await catalog.kin();
  const kept = keptSessions?.forks(catalog.adapter.name);
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id) || kin.isAlone(id)) continue;
    const family = [...kin.family(id)].filter((member) => entries.has(member)).sort();
    for (const member of family) seen.add(member);
    if (family.length < 2) continue;
    // Sizes and times of files only matter to what is kept.
    const signature = keptSessions && family.map((member) => `${member} ${catalog.signature(member)}`).join("\n");
    const isKept = keptSessions !== undefined && family.every((member) => kept?.get(member)?.signature === signature);
    const parents = isKept
      ? new Map(family.map((member) => [member, kept!.get(member)!.parent]))
      : lineage(
          family.map((member) => entries.get(member)!),
          catalog.env,
        );
    for (const member of family) {
      const { head, source } = entries.get(member)!;
      const parent = parents.get(member) ?? undefined;
      if (parent !== undefined) head.forkedFrom ??= parent;
      if (keptSessions && !isKept && isSettled(source))
        keptSessions.putFork(catalog.adapter.name, member, signature!, parent);
    }
  }
}
