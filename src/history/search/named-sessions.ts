/** Names that users gave to sessions. They count as titles beside the agents' own, and are not in the index. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionLabels } from "../session-labels.ts";
import { SequenceFinder } from "./phrase.ts";
import type { Plan } from "./plan.ts";

export interface NamedSession {
  catalog: Catalog;
  source: SessionSource;
  /** With both titles. */
  head: SessionHead;
}

/** Sessions whose given name contains a word of the query; other names make no difference. */
export async function* namedSessions(
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
