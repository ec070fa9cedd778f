/** Parses options and arguments with Node's `parseArgs` and reports the first token that is wrong. */
import { parseArgs } from "node:util";
import { optional } from "../lib/values/optional.ts";

export interface OptionForm {
  /** Without dashes. */
  name: string;
  short?: string;
  /** Undefined for a flag. */
  value?: string;
  /** The value may be left out, which gives "". The next word is the value if this says so, and it is not like an option. */
  takes?: (word: string) => boolean;
  repeatable?: boolean;
}

export type OptionValue = string | boolean | string[];

export interface ParsedWords<Form extends OptionForm> {
  values: Record<string, OptionValue>;
  positionals: string[];
  /** The first error: an unknown option, or a known one with a wrong or missing value. */
  problem?: { unknown: string } | { misused: Form };
}

export function parseWords<Form extends OptionForm>(
  words: readonly string[],
  forms: readonly Form[],
): ParsedWords<Form> {
  const options = Object.fromEntries(
    forms.map(({ name, short, value }) => {
      return [
        name,
        { type: value === undefined ? ("boolean" as const) : ("string" as const), ...optional("short", short) },
      ];
    }),
  );
  const { tokens } = parseArgs({
    args: withValues(words, forms),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: ParsedWords<Form>["values"] = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const form = forms.find(({ name }) => name === token.name);
    if (form === undefined) return { values, positionals, problem: { unknown: token.rawName } };
    const { name, value, inlineValue } = token;
    // A word like the next option was hardly meant as a value.
    const isGiven = value !== undefined && (inlineValue === true || !isOptionLike(value));
    if (isGiven !== (form.value !== undefined)) return { values, positionals, problem: { misused: form } };
    const known = values[name];
    if (value === undefined) values[name] = true;
    else values[name] = form.repeatable ? [...(Array.isArray(known) ? known : []), value] : value;
  }
  return { values, positionals };
}

/** `parseArgs` knows no value that may be left out. */
function withValues(words: readonly string[], forms: readonly OptionForm[]): string[] {
  const args: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const next = words[at + 1];
    const form = forms.find(({ name, takes }) => takes !== undefined && word === `--${name}`);
    if (word === "--") return [...args, ...words.slice(at)];
    if (form === undefined) args.push(word);
    else if (next === undefined || isOptionLike(next) || !form.takes!(next)) args.push(`${word}=`);
    else {
      args.push(`${word}=${next}`);
      at++;
    }
  }
  return args;
}

/** `-` alone means standard input. */
function isOptionLike(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}
