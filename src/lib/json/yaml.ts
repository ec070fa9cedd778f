/** Settings in YAML. Scalars stay text: who reads them knows what they are meant to be. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

/** Nobody writes more; some of what the parser does takes the square of it. */
const MAX_KB = 16;
/** The parser calls itself for each level, and a full stack can end the process. */
const MAX_DEPTH = 50;
const MAX_INDENT = 200;

/** Throws an error that says what is wrong, with the line where there is one. An empty file is an empty mapping. */
export function parseYaml(source: string): unknown {
  if (source.length > MAX_KB * 1024) throw new Error(`more than ${MAX_KB} KB`);
  // Few projects have such settings, and it takes longer to load than most commands.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  if (isTooDeep(source, new yaml.Lexer().lex(source))) throw new Error(`nested more than ${MAX_DEPTH} levels deep`);
  const lineOf = (offset: number): number => source.slice(0, offset).split("\n").length;
  // Its own look for repeated keys compares each with each, and pretty errors look for the place of every single one.
  const document = yaml.parseDocument(source, { schema: "failsafe", prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`line ${lineOf(error.pos[0])}: ${error.message}`, { cause: error });
  yaml.visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue;
        if (seen.has(key.value)) throw new Error(`line ${lineOf(key.range![0])}: Map keys must be unique`);
        seen.add(key.value);
      }
    },
  });
  return document.toJS() || {};
}

/** In brackets, or by marks in one line; further lines go deeper by their indentation only. */
function isTooDeep(source: string, lexemes: Iterable<string>): boolean {
  if (new RegExp(`^ {${MAX_INDENT + 1}}`, "m").test(source)) return true;
  let [brackets, marks] = [0, 0];
  for (const lexeme of lexemes) {
    if (lexeme === "[" || lexeme === "{") brackets++;
    else if (lexeme === "]" || lexeme === "}") brackets = Math.max(0, brackets - 1);
    else if (lexeme === BRACKETS_END) brackets = 0;
    else if (lexeme === "\n" || lexeme === "\r\n") marks = 0;
    else if (brackets === 0 && (lexeme === "-" || lexeme === "?" || lexeme === ":")) marks++;
    if (brackets > MAX_DEPTH || marks > MAX_DEPTH) return true;
  }
  return false;
}

/** Of the lexer: a line that cannot belong to the brackets before it. */
const BRACKETS_END = "\u0018";
