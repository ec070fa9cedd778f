/** Splits code into coloured stretches. Loaded when the first code is shown. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** The colours, each a name in `::highlight(code-…)`, and the scopes of the highlighter that have them. */
const SCOPES = {
  keyword: ["keyword", "literal", "built_in", "type", "name", "selector-tag", "tag", "section"],
  string: ["string", "regexp", "char", "addition", "link"],
  number: ["number", "symbol", "bullet", "meta", "deletion"],
  comment: ["comment", "quote", "doctag"],
  title: ["title", "attr", "attribute", "property", "variable", "selector-class", "selector-id", "template-variable"],
} as const;
export type Colour = keyof typeof SCOPES;

const COLOUR_OF = new Map(
  Object.entries(SCOPES).flatMap(([colour, scopes]) => scopes.map((scope) => [scope as string, colour as Colour])),
);

export interface Stretch {
  start: number;
  end: number;
  colour: Colour;
}

/** Undefined for a language it does not know. */
export function stretchesOf(text: string, language: string): Stretch[] | undefined {
  if (hljs.getLanguage(language) === undefined) return undefined;
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  const stretches: Stretch[] = [];
  const open: (Colour | undefined)[] = [];
  let at = 0;
  for (const [piece, scope] of value.matchAll(/<span class="(?:hljs-([\w-]+)|language-)[^"]*">|<\/span>|[^<]+/g)) {
    if (piece === "</span>") open.pop();
    // Code within a string has its own colours.
    else if (piece.startsWith("<"))
      open.push(scope === undefined || scope === "subst" ? undefined : colourOf(scope, open));
    else {
      const end = at + piece.replaceAll(/&(?:\w+|#x\w+);/g, "&").length;
      const colour = open.at(-1);
      if (colour !== undefined) stretches.push({ start: at, end, colour });
      at = end;
    }
  }
  return stretches;
}

/** A scope without a colour has that of the text around it. */
function colourOf(scope: string, open: readonly (Colour | undefined)[]): Colour | undefined {
  return COLOUR_OF.get(scope) ?? open.at(-1);
}
