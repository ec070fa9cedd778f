/**
 * Parses options and arguments like Node's `parseArgs`, which loads slower than some commands run and reports errors only as
 * text.
 */

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
  options: readonly Form[],
): ParsedWords<Form> {
  const parsed: ParsedWords<Form> = { values: {}, positionals: [] };
  for (let at = 0; at < words.length && parsed.problem === undefined; at++) {
    const word = words[at]!;
    if (word === "--") {
      parsed.positionals.push(...words.slice(at + 1));
      break;
    }
    if (!isOptionLike(word)) parsed.positionals.push(word);
    else if (word.startsWith("--")) at += takeLong(word, words[at + 1], options, parsed);
    else at += takeLetters(word, words[at + 1], options, parsed);
  }
  return parsed;
}

/** `-` alone means standard input. */
function isOptionLike(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

/** `--name`, `--name=value` or `--name value`; returns how many further words were used. */
function takeLong<Form extends OptionForm>(
  word: string,
  next: string | undefined,
  options: readonly Form[],
  parsed: ParsedWords<Form>,
): number {
  const equals = word.indexOf("=", 3);
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
  const option = options.find((known) => known.name === name);
  if (option === undefined) return fail(parsed, { unknown: `--${name}` });
  return take(option, equals === -1 ? undefined : word.slice(equals + 1), next, parsed);
}

/** `-f`, several flags as `-fg`, and last one with a value: `-n5`, `-n 5`. */
function takeLetters<Form extends OptionForm>(
  word: string,
  next: string | undefined,
  options: readonly Form[],
  parsed: ParsedWords<Form>,
): number {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at]!;
    const option = options.find(({ short }) => short === letter);
    if (option === undefined) return fail(parsed, { unknown: `-${letter}` });
    if (option.value !== undefined) return take(option, word.slice(at + 1) || undefined, next, parsed);
    take(option, undefined, undefined, parsed);
  }
  return 0;
}

function take<Form extends OptionForm>(
  option: Form,
  own: string | undefined,
  next: string | undefined,
  parsed: ParsedWords<Form>,
): number {
  const { name, value, repeatable } = option;
  if (value === undefined) {
    if (own !== undefined) return fail(parsed, { misused: option });
    parsed.values[name] = true;
    return 0;
  }
  // A word like the next option was hardly meant as a value.
  const given = own ?? (next === undefined || isOptionLike(next) ? undefined : next);
  if (given === undefined) return fail(parsed, { misused: option });
  const known = parsed.values[name];
  parsed.values[name] = repeatable ? [...(Array.isArray(known) ? known : []), given] : given;
  return own === undefined ? 1 : 0;
}

function fail<Form extends OptionForm>(
  parsed: ParsedWords<Form>,
  problem: NonNullable<ParsedWords<Form>["problem"]>,
): number {
  parsed.problem = problem;
  return 0;
}
