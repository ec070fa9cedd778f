/** Command declarations, from which parsing, help and shell completion are derived. */
import { AgentMuxError } from "../core/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Output } from "./output.ts";
import { parseWords, type OptionForm, type ParsedWords } from "./parse-arguments.ts";

/** `value` is the placeholder in the help. */
export interface OptionSpec extends OptionForm {
  description: string;
  choices?: readonly string[];
  /** Several choices are allowed, comma-separated. */
  list?: boolean;
}

export interface ArgumentSpec {
  name: string;
  description: string;
  optional?: boolean;
  /** For the last one: it may be repeated. */
  several?: boolean;
  /** It is free text, so an unknown option may have been meant as text. */
  mayBeginWithDash?: boolean;
  /** What the shell completes. */
  completes?: "agents" | "sessions" | "ended" | "all-sessions" | "ids" | "profiles" | readonly string[];
}

export interface Command {
  /** As typed: `sessions list`. */
  name: string;
  /** One or two sentences above the options; without them, the summary of its entry. */
  description?: string;
  arguments?: readonly ArgumentSpec[];
  /** What may follow `--`, passed unchanged. */
  rest?: { name: string; description: string };
  options?: readonly OptionSpec[];
  examples: readonly (readonly [command: string, meaning: string])[];
  run(invocation: Invocation): Promise<number | void>;
}

/** A command without its code. */
export interface CommandEntry {
  name: string;
  summary: string;
  /** A second way to type it: `amux search`. */
  shortName?: string;
  /** Called by programs, not people: hidden from command lists. */
  isPlumbing?: true;
  load(): Promise<{ default: Command }>;
}

export class Invocation {
  readonly arguments: readonly string[];
  /** What followed `--`; undefined without it. */
  readonly rest: readonly string[] | undefined;
  readonly output: Output;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(
    positionals: readonly string[],
    values: Readonly<Record<string, unknown>>,
    output: Output,
    rest?: readonly string[],
  ) {
    this.arguments = positionals;
    this.rest = rest;
    this.#values = values;
    this.output = output;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  texts(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
  }

  /** An integer of at least `least`. */
  count(name: string, least = 1): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
      throw usageError(`--${name} takes a whole number from ${least} up, not "${text}".`);
    }
    return Number(text);
  }
}

/** Options every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "json", description: "print JSON" },
  { name: "help", short: "h", description: "show this help" },
];

export function optionsOf(command: Command): OptionSpec[] {
  return [...(command.options ?? []), ...COMMON_OPTIONS];
}

export function usageError(message: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message);
}

export function parseInvocation(command: Command, argv: readonly string[], output: Output): Invocation {
  const options = optionsOf(command);
  const dashes = command.rest === undefined ? -1 : argv.indexOf("--");
  const { values, positionals, problem } = parseWords(dashes === -1 ? argv : argv.slice(0, dashes), options);
  if (problem !== undefined) throw usageError(explain(problem, command, options));
  for (const option of options) checkChoice(option, values[option.name]);
  const rest = dashes === -1 ? undefined : argv.slice(dashes + 1);
  const invocation = new Invocation(positionals, values, output, rest);
  if (!invocation.flag("help")) checkArguments(command, positionals);
  return invocation;
}

function explain(
  problem: NonNullable<ParsedWords<OptionSpec>["problem"]>,
  command: Command,
  options: readonly OptionSpec[],
): string {
  if ("misused" in problem) return `${wrongValue(problem.misused)} See amux ${command.name} --help.`;
  const { unknown } = problem;
  const close = nearest(
    unknown.replace(/^-+/, ""),
    options.map((option) => option.name),
  );
  const guess = close === undefined ? "" : ` (did you mean --${close}?)`;
  const text = command.arguments?.find(({ mayBeginWithDash }) => mayBeginWithDash);
  const other = text === undefined ? "" : ` A <${text.name}> that begins with "-" goes last, after "--".`;
  return `amux ${command.name} has no option ${unknown}${guess}.${other} See amux ${command.name} --help.`;
}

/** A value is missing or looks like the next option, or a flag was given one. */
function wrongValue({ name, value }: OptionSpec): string {
  if (value === undefined) return `--${name} takes no value.`;
  return `--${name} needs a value: --${name} <${value}>, or --${name}=<${value}> for one that begins with "-".`;
}

function checkChoice(option: OptionSpec, value: unknown): void {
  if (!option.choices) return;
  for (const given of Array.isArray(value) ? value : [value]) {
    if (given === undefined) continue;
    for (const word of option.list ? String(given).split(",") : [String(given)]) {
      if (option.choices.includes(word)) continue;
      const choices = option.choices.join(", ");
      throw usageError(
        option.list
          ? `--${option.name} is one or several (with commas) of ${choices}, not "${word}".`
          : `--${option.name} is one of ${choices}, not "${word}".`,
      );
    }
  }
}

function checkArguments(command: Command, given: readonly string[]): void {
  const declared = command.arguments ?? [];
  const missing = declared[given.length];
  if (missing && !missing.optional)
    throw usageError(`amux ${command.name} needs <${missing.name}>. See amux ${command.name} --help.`);
  if (given.length > declared.length && !declared.at(-1)?.several) {
    throw usageError(
      `amux ${command.name} does not take "${given[declared.length]}". See amux ${command.name} --help.`,
    );
  }
}
