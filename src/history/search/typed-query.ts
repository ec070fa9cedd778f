/** A query as a person types it, in the exact query language: shortcuts spelled out, the last word a beginning. */

export interface TypedQuery {
  text: string;
  /** From `tag:`; sessions have one of them. */
  tags: string[];
}

/** Agents call their tools differently and mean the same. */
const TOOLS: Readonly<Record<string, string>> = {
  edited: "edit*,multiedit*,write*,patch*,apply*,replace*,str*,create*,update*,notebook*",
  read: "read*,view*,open*,cat*",
};

/** A quoted text as it is, or a shortcut with its value. */
const SHORTCUT = /"[^"]*"|(?<![\w:-])(edited|read|tag):("[^"]*"|[^\s()",]+)/gi;
const LAST_WORD = /(?:^|[\s(])([\p{L}\p{N}_]{3,})$/u;
const OPERATORS: ReadonlySet<string> = new Set(["AND", "NOT"]);

export function typedQuery(typed: string): TypedQuery {
  const tags: string[] = [];
  const spelled = typed.replace(SHORTCUT, (whole, field?: string, value = "") => {
    if (field === undefined) return whole;
    const name = field.toLowerCase();
    if (name !== "tag") return `(${value} file:${value} tool:${TOOLS[name]!})`;
    tags.push(value.replaceAll('"', ""));
    return "";
  });
  const text = spelled.trim();
  const last = LAST_WORD.exec(text)?.[1];
  const isOpen = text.split('"').length % 2 === 0;
  const isBeginning = last !== undefined && !isOpen && !OPERATORS.has(last);
  return { text: isBeginning ? `${text}*` : text, tags };
}

const ENDING = /(?:ations?|ings?|ions?|ied|ies|edly|ed|ers?|es|ly|s)$/;
const SHORTEST_STEM = 4;

/** The same with the beginnings of its words, for a hint when nothing was found; undefined when that is no other question. */
export function stemmedQuery(text: string): string | undefined {
  const stemmed = text.replace(/"[^"]*"|(?<![\w:*"-])([a-z]{5,})(?![\w:"])\*?/gi, (whole, word?: string) => {
    const stem = word?.toLowerCase().replace(ENDING, "");
    return stem === undefined || stem.length < SHORTEST_STEM || stem === word?.toLowerCase() ? whole : `${stem}*`;
  });
  return stemmed === text ? undefined : stemmed;
}
