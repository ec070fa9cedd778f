/** Full-text search over the conversations themselves; every word must occur in the session or its title. */
import type { NativeSearchHit } from "../agents/adapter.ts";
import type { SessionMessage, SessionSummary } from "../core/session.ts";
import { Breather } from "../lib/breathe.ts";
import { oneLine, truncate } from "../lib/text.ts";
import type { Catalog } from "./catalog.ts";
import { listSessions, sorted } from "./list.ts";
import type { SessionQuery } from "./options.ts";
import type { SummaryContext } from "./summary.ts";

export interface SearchMatch {
  messageIndex: number;
  role: SessionMessage["role"];
  timestamp?: Date;
  snippet: string;
}

/** A session that was found, with the places where. */
export interface SessionHit extends SessionSummary {
  matches: SearchMatch[];
}

const DEFAULT_LIMIT = 50;
const MAX_MATCHES = 5;
const SNIPPET_CHARACTERS = 160;

export async function searchSessions(
  catalogs: readonly Catalog[],
  query: SessionQuery,
  context: SummaryContext,
): Promise<SessionHit[]> {
  const words = wordsOf(query.text);
  if (words.length === 0) return [];
  const found: { hit: SessionHit; score: number }[] = [];
  for (const catalog of catalogs) {
    const rows = await listSessions(
      catalog,
      { ...listOptions(query), limit: Number.POSITIVE_INFINITY, counts: false },
      context,
    );
    const native = nativeHits(catalog, query);
    const breather = new Breather();
    let done = 0;
    for (const row of rows) {
      const match = native ? native.get(row.sessionId) : searchOne(catalog, row, words);
      if (match) found.push({ hit: { ...row, matches: match.matches }, score: match.score });
      query.onProgress?.({ agent: catalog.adapter.name, stage: "sessions", done: ++done, total: rows.length });
      await breather.breathe();
    }
  }
  const best = Math.max(...found.map(({ score }) => score), 0);
  const hits = found.map(({ hit, score }) => ({ ...hit, relevanceScore: best === 0 ? 0 : score / best }));
  return ordered(hits, query).slice(0, query.limit ?? DEFAULT_LIMIT);
}

function listOptions(query: SessionQuery): Pick<SessionQuery, "since" | "until" | "model" | "tags"> {
  const { since, until, model, tags } = query;
  return {
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
    ...(model !== undefined ? { model } : {}),
    ...(tags ? { tags } : {}),
  };
}

function ordered(hits: SessionHit[], { sort = "relevance" }: SessionQuery): SessionHit[] {
  if (sort === "relevance") {
    return hits.sort((a, b) => b.relevanceScore! - a.relevanceScore! || b.updatedAt.getTime() - a.updatedAt.getTime());
  }
  const byId = new Map(hits.map((hit) => [hit.unifiedId, hit]));
  return sorted(hits, { sort }).map((row) => byId.get(row.unifiedId)!);
}

/** Words and "quoted phrases", lower case. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|(\S+)/g)].map((match) => (match[1] ?? match[2]!).toLowerCase());
}

interface Match {
  score: number;
  matches: SearchMatch[];
}

/** The agent's own index answers when it has one and the search is for that agent alone. */
function nativeHits(catalog: Catalog, query: SessionQuery): Map<string, Match> | undefined {
  const { history, name } = catalog.adapter;
  if (!history?.search || query.agent !== name) return undefined;
  const hits = history.search(catalog.env, query.text, query.limit ?? DEFAULT_LIMIT, catalog.notes);
  return new Map(hits.map((hit) => [hit.sessionId, { score: hit.score, matches: matchesOf(hit) }]));
}

function matchesOf(hit: NativeSearchHit): SearchMatch[] {
  if (hit.snippet === undefined) return [];
  return [{ messageIndex: hit.messageIndex ?? 0, role: "assistant", snippet: oneLine(hit.snippet) }];
}

function searchOne(catalog: Catalog, row: SessionSummary, words: readonly string[]): Match | undefined {
  const source = catalog.source(row.sessionId)!;
  const reader = readerOrNote(catalog, source.sessionId);
  if (!reader) return undefined;
  const counts = new Map<string, number>();
  const title = row.title.toLowerCase();
  for (const word of words) if (title.includes(word)) counts.set(word, TITLE_WEIGHT);
  const matches: SearchMatch[] = [];
  let length = 0;
  let index = 0;
  for (const message of reader.messages()) {
    const text = textOf(message);
    const lower = text.toLowerCase();
    length += lower.length;
    const here = words.filter((word) => lower.includes(word));
    for (const word of here) counts.set(word, (counts.get(word) ?? 0) + 1);
    if (here.length > 0 && matches.length < MAX_MATCHES) {
      matches.push({
        messageIndex: index,
        role: message.role,
        ...(message.timestamp ? { timestamp: message.timestamp } : {}),
        snippet: snippetAround(text, lower.indexOf(here[0]!)),
      });
    }
    index++;
  }
  if (words.some((word) => !counts.has(word))) return undefined;
  let score = 0;
  for (const count of counts.values()) score += count / (count + K1 * (1 - B + (B * length) / TYPICAL_LENGTH));
  return { score, matches };
}

/** BM25's saturation and length norm; the typical length stands in for a corpus average nobody has counted. */
const K1 = 1.2;
const B = 0.75;
const TYPICAL_LENGTH = 20_000;
const TITLE_WEIGHT = 3;

function readerOrNote(catalog: Catalog, sessionId: string) {
  const source = catalog.source(sessionId)!;
  try {
    return catalog.adapter.history!.read(source, catalog.env, catalog.notes);
  } catch (error) {
    catalog.notes.skip(source.path, (error as Error).message);
    return undefined;
  }
}

function textOf(message: SessionMessage): string {
  const calls = (message.toolCalls ?? []).map((call) => `${call.toolName} ${JSON.stringify(call.input)}`);
  return [message.content, message.thinking ?? "", ...calls].join("\n");
}

function snippetAround(text: string, position: number): string {
  const start = Math.max(0, position - SNIPPET_CHARACTERS / 2);
  return (
    (start > 0 ? "…" : "") + truncate(oneLine(text.slice(start, start + 2 * SNIPPET_CHARACTERS)), SNIPPET_CHARACTERS)
  );
}
