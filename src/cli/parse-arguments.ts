/** Parses options and arguments with Node's `parseArgs` and reports the first token that is wrong. */
import { parseArgs } from "node:util";
import { optional } from "../lib/values/optional.ts";

export interface OptionForm {
  /** Without dashes. */
  name: string;
  short?: string;
  /** Undefined for a flag. */
  value?: string;
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
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
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

/** `-` alone means standard input. */
function isOptionLike(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}
