/** Translates a query as typed into the exact query language: expands shortcuts and makes the last word a prefix. */
import { queryError } from "./query.ts";

export interface TypedQuery {
  text: string;
  /** From `tag:`; a session must have one of them. */
  tags: string[];
}

/** Agents have different names for the same tools. */
const TOOLS: Readonly<Record<string, string>> = {
  edited: "edit*,multiedit*,write*,patch*,apply*,replace*,str*,create*,update*,notebook*",
  read: "read*,view*,open*,cat*",
};

const QUOTED = /"[^"]*"/g;
/** A quoted text, or a shortcut with its value. */
const SHORTCUT = /"[^"]*"|(?<=(?:^|[\s()"])-*)(edited|read|tag):("[^"]*"|[^\s()",][^\s()"]*)/gi;
const LAST_WORD = /(?:^|[\s(])([\p{L}\p{N}_]{3,})$/u;
const NEGATION = /(?:-|(?<![^\s()])NOT\s+)$/;
const OPERATORS: ReadonlySet<string> = new Set(["AND", "NOT"]);

/** Throws VALIDATION_ERROR if a tag is used where it cannot apply. */
export function typedQuery(typed: string): TypedQuery {
  const tags: string[] = [];
  const spelled = typed.replace(SHORTCUT, (whole: string, field: string | undefined, value: string, at: number) => {
    if (field === undefined) return whole;
    const name = field.toLowerCase();
    const values = value.startsWith('"') ? [value] : value.split(",").filter((one) => one !== "");
    if (name !== "tag") {
      const groups = values.map((one) => `(${one} file:${one} tool:${TOOLS[name]!})`);
      return groups.length === 1 ? groups[0]! : `(${groups.join(" OR ")})`;
    }
    if (!holdsForAll(typed, at)) throw queryError(NOT_FOR_ALL, typed, at, at + whole.length);
    tags.push(...values.map((one) => one.replaceAll('"', "")));
    return "";
  });
  // AND is implied between words. Beside a removed tag it has lost an operand, so it is removed.
  const joined =
    tags.length === 0 ? spelled : spelled.replace(/"[^"]*"|(?<!\S)AND(?!\S)/g, (all) => (all === "AND" ? "" : all));
  const text = joined.trim();
  const last = LAST_WORD.exec(text)?.[1];
  const isOpen = text.split('"').length % 2 === 0;
  const isBeginning =
    last !== undefined && !isOpen && !OPERATORS.has(last) && !NEGATION.test(text.slice(0, -last.length));
  return { text: isBeginning ? `${text}*` : text, tags };
}

const NOT_FOR_ALL =
  "tag: holds for the whole search. Put it beside the words: no NOT, - or OR, no parentheses around it.";

/** Whether the term at this position must be true of every match. */
function holdsForAll(typed: string, at: number): boolean {
  const bare = typed.replace(QUOTED, (quoted) => "_".repeat(quoted.length));
  let [depth, depthThere] = [0, 0];
  let isEither = false;
  for (const { 0: sign, index } of bare.matchAll(/[()]|(?<![^\s()])OR(?![^\s()])/g)) {
    if (sign === "OR") isEither ||= depth === 0;
    else depth += sign === "(" ? 1 : -1;
    if (index < at) depthThere = depth;
  }
  return depthThere === 0 && !isEither && !NEGATION.test(bare.slice(0, at));
}

const ENDING = /(?:ations?|ings?|ions?|ied|ies|edly|ed|ers?|es|ly|s)$/;
const SHORTEST_STEM = 4;

/** The same query with its words as prefixes, for a hint without results; undefined if that changes nothing. */
export function stemmedQuery(text: string): string | undefined {
  const stemmed = text.replace(/"[^"]*"|(?<![\w:*"-])([a-z]{5,})(?![\w:"])\*?/gi, (whole, word?: string) => {
    const stem = word?.toLowerCase().replace(ENDING, "");
    return stem === undefined || stem.length < SHORTEST_STEM || stem === word?.toLowerCase() ? whole : `${stem}*`;
  });
  return stemmed === text ? undefined : stemmed;
}
