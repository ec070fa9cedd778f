/**
 * Converts a typed query to valid FTS5. All words must match; `"…"` is a phrase, `word*` a prefix, `-word` or `NOT
 * word` excludes, `OR` separates alternatives.
 */
import { oneLine, truncate } from "../../lib/text/text.ts";

interface Term {
  text: string;
  /** Matches words with the last word of the term as a prefix. */
  prefix: boolean;
}

export interface Alternative {
  wanted: Term[];
  unwanted: Term[];
}

/** Hermes has the same limit; a longer text is a paste, not a query. */
const MAX_QUERY_LENGTH = 2048;
const TOKEN = /(-?)"([^"]*)"(\*?)|(\S+)/g;
/** The alternatives of a query; empty if it has no terms. */
export function parseQuery(text: string): Alternative[] {
  const alternatives: Alternative[] = [{ wanted: [], unwanted: [] }];
  let negate = false;
  for (const [, minus, phrase, star, bare] of text.slice(0, MAX_QUERY_LENGTH).matchAll(TOKEN)) {
    if (bare === "OR") alternatives.push({ wanted: [], unwanted: [] });
    if (bare === "OR" || bare === "AND") negate = false;
    else if (bare === "NOT") negate = true;
    else {
      const unwanted = negate || minus === "-" || bare?.startsWith("-") === true;
      const term = {
        text: phrase ?? bare!.replace(/^-|\*$/g, ""),
        prefix: star === "*" || bare?.endsWith("*") === true,
      };
      const current = alternatives.at(-1)!;
      if (wordsOf(term.text).length > 0) (unwanted ? current.unwanted : current.wanted).push(term);
      negate = false;
    }
  }
  // FTS5 cannot express "everything but", so an alternative with only exclusions finds nothing.
  return alternatives.filter((alternative) => alternative.wanted.length > 0);
}

/** The FTS5 expression. */
export function matchExpression(query: readonly Alternative[]): string {
  return query
    .map(({ wanted, unwanted }) => {
      const all = wanted.map(quoted).join(" AND ");
      return unwanted.length === 0 ? `(${all})` : `((${all}) NOT (${unwanted.map(quoted).join(" OR ")}))`;
    })
    .join(" OR ");
}

function quoted({ text, prefix }: Term): string {
  return `"${text.replaceAll('"', '""').replaceAll("\0", " ")}"${prefix ? " *" : ""}`;
}

// Han with extensions A and B, kana, Hangul: written without spaces, so a word index stores whole sentences as one
// word.
const CJK = /[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u{20000}-\u{2a6df}]/u;

export function hasCjk(query: readonly Alternative[]): boolean {
  return query.some(({ wanted, unwanted }) => [...wanted, ...unwanted].some(({ text }) => CJK.test(text)));
}

const TRIGRAM = 3;

/** A trigram index finds substrings of at least three characters. */
export function fitsTrigrams(query: readonly Alternative[]): boolean {
  return query.every(({ wanted, unwanted }) =>
    [...wanted, ...unwanted].every(({ text }) => [...text].length >= TRIGRAM),
  );
}

/** Matches like the word index, for text that is not indexed. */
export function matchesText(query: readonly Alternative[], text: string): boolean {
  const words = wordsOf(text);
  const lower = text.toLowerCase();
  const holds = (term: Term): boolean =>
    CJK.test(term.text) ? lower.includes(term.text.toLowerCase()) : holdsPhrase(words, wordsOf(term.text), term.prefix);
  return query.some(({ wanted, unwanted }) => wanted.every(holds) && !unwanted.some(holds));
}

function holdsPhrase(words: readonly string[], phrase: readonly string[], prefix: boolean): boolean {
  const last = phrase.length - 1;
  for (let start = 0; start + last < words.length; start++) {
    const matches = phrase.every((word, index) => {
      const candidate = words[start + index]!;
      return index === last && prefix ? candidate.startsWith(word) : candidate === word;
    });
    if (matches) return true;
  }
  return false;
}

/** Words as `unicode61` tokenizes them: lower case, without diacritics. */
function wordsOf(text: string): string[] {
  // Characters that the tokenizer treats as part of a word; a term without any matches nothing.
  const words = /[\p{L}\p{N}\p{Co}]+/gu;
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(words) ?? [];
}

const SNIPPET_LENGTH = 200;
const BEFORE = 60;

/** A snippet for text that is not indexed. */
export function snippetOf(text: string, query: readonly Alternative[]): string {
  const lower = text.toLowerCase();
  const places = query
    .flatMap(({ wanted }) => wanted)
    .map((term) => lower.indexOf(term.text.toLowerCase()))
    .filter((place) => place !== -1);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE);
  return `${from > 0 ? "…" : ""}${truncate(oneLine(text.slice(from, from + 4 * SNIPPET_LENGTH)), SNIPPET_LENGTH)}`;
}
