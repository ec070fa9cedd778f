/** Uses an agent's own index if a search is limited to that agent. */
import type { NativeSearchHit } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Catalog } from "../catalog.ts";
import { NOTE_TITLE } from "../note.ts";
import type { SessionQuery } from "../options.ts";
import { familyOf, type Found, type SessionHit } from "./results.ts";
import type { Place } from "./snippets.ts";
import type { Plan } from "./plan.ts";
import { factsOf, fitsField } from "./filter.ts";

/** More than are shown, since some will be copies of others. */
const SPARE = 2;

export interface NativeAnswer {
  found: (Found & { createdMs: number })[];
  /** Hits outside of conversations. */
  notes: NativeSearchHit[];
}

/** Undefined if the agent has no index, other agents are searched too, or its index does not support the query. */
export function askNatively(
  catalog: Catalog,
  query: SessionQuery,
  plan: Plan,
  limit: number,
): NativeAnswer | undefined {
  const { adapter, env, notes } = catalog;
  if (!adapter.history?.search || !isFor(catalog, query, plan) || !isPlain(query.text, plan)) return undefined;
  const answer: NativeAnswer = { found: [], notes: [] };
  for (const native of adapter.history.search.sessions(
    env,
    query.text.replace(AGENT_FIELD, " "),
    SPARE * limit,
    notes,
  )) {
    const source = catalog.source(native.sessionId);
    const head = catalog.head(native.sessionId);
    if (source && head) {
      const { createdMs, updatedMs } = factsOf(adapter.name, source, head);
      const family = familyOf(source, head);
      const { score } = native;
      answer.found.push({
        catalog,
        source,
        unifiedId: joinUnifiedId(adapter.name, source.sessionId),
        head: () => head,
        family,
        createdMs,
        updatedMs,
        score,
        native,
        certain: true,
      });
    } else if (native.memory) answer.notes.push(native);
  }
  return answer;
}

/** Agents' notes outside of conversations, if all agents are searched for words only. */
export function notesOf(catalog: Catalog, query: SessionQuery, plan: Plan, limit: number): NativeSearchHit[] {
  const { adapter, env, notes } = catalog;
  const isNarrowed = [query.agent, query.since, query.until, query.model, query.tags?.[0]].some(
    (each) => each !== undefined,
  );
  if (!adapter.history?.search?.notes || isNarrowed || !isPlain(query.text, plan)) return [];
  if (plan.leaves.some(({ kind }) => kind === "session")) return [];
  // Their rank is not comparable with that of sessions, so they come last.
  return adapter.history.search.notes(env, query.text, limit, notes).map((hit) => ({ ...hit, score: 0 }));
}

const AGENT_FIELD = /(?<=^|\s)agent:(?:"[^"]*"|\S+)/gi;

/** Selected by the option, or by an `agent:` field that applies to the whole query. */
function isFor({ adapter }: Catalog, query: SessionQuery, { leaves, root }: Plan): boolean {
  if (query.agent !== undefined) return query.agent === adapter.name;
  const parts = root.op === "all" ? root.of : [root];
  return parts.some((part) => {
    const leaf = part.op === "leaf" ? leaves[part.leaf] : undefined;
    if (leaf?.kind !== "session" || leaf.test.field !== "agent") return false;
    const { test } = leaf;
    const facts = { ...factsOf(adapter.name, { sessionId: "", path: "", files: [], updatedMs: 0 }, { title: "" }) };
    return test.anyOf.length === 1 && !test.anyOf[0]!.prefix && fitsField(test, facts);
  });
}

/** Words, phrases, prefixes, -not and OR. */
function isPlain(text: string, { leaves }: Plan): boolean {
  return (
    !/[()]/.test(text) &&
    leaves.every((leaf) =>
      leaf.kind === "session" ? leaf.test.field === "agent" : leaf.kind === "text" && leaf.within.length === 0,
    )
  );
}

/** For a session where our own words do not match what the agent's index found. */
export function placeOf(hit: NativeSearchHit): Place[] {
  if (hit.snippet === undefined) return [];
  return [
    {
      messageIndex: hit.messageIndex ?? 0,
      role: "assistant",
      part: "content",
      snippet: oneLine(hit.snippet),
      marks: [],
    },
  ];
}

/** A note is not a session, but is shown like one. */
export function noteHit(agent: string, hit: NativeSearchHit, relevanceScore: number): SessionHit {
  const { sessionId } = hit;
  return {
    agent,
    sessionId,
    unifiedId: joinUnifiedId(agent, sessionId),
    title: NOTE_TITLE,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    turnCount: 0,
    messageCount: 0,
    tags: [],
    relevanceScore,
    matches: placeOf(hit),
    titleMarks: [],
    copies: 0,
    memory: true,
  };
}
