/** Formats the help of one command from its declaration. */
import { optionsOf, type Command, type OptionSpec } from "./command.ts";
import { summaryOf } from "./commands.ts";

/** Default width without a terminal. */
const PIPE_COLUMNS = 100;
const FEWEST_COLUMNS = 60;
/** Longer lines are hard to read. */
const MOST_COLUMNS = 120;

/** A wider left column puts its text on the next line. */
const WIDEST_LEFT = 34;

/** `columns` of the terminal; infinite for a pipe. */
export function helpWidth(columns: number): number {
  return Number.isFinite(columns) ? Math.min(Math.max(columns, FEWEST_COLUMNS), MOST_COLUMNS) : PIPE_COLUMNS;
}

export function commandHelp(command: Command, width: number): string {
  const args = (command.arguments ?? []).map(
    ({ name, optional, several }) => `${optional ? `[${name}]` : `<${name}>`}${several ? "…" : ""}`,
  );
  const rest = command.rest === undefined ? [] : [`[-- ${command.rest.name}…]`];
  const lines = [
    `Usage: amux ${[command.name, ...args, "[options]", ...rest].join(" ")}`,
    "",
    ...wrap(command.description ?? `${summaryOf(command.name)}.`, width),
    "",
  ];
  const described = [...(command.arguments ?? []), ...(command.rest === undefined ? [] : [command.rest])];
  if (described.length > 0) {
    const rows = described.map(({ name, description }): [string, string] => [name, description]);
    lines.push("Arguments:", ...columns(rows, width), "");
  }
  const rows = optionsOf(command).map((option): [string, string] => [optionText(option), describe(option)]);
  lines.push("Options:", ...columns(rows, width), "", "Examples:");
  for (const [example, meaning] of command.examples) lines.push(`  ${example}`, ...wrap(meaning, width, "      "));
  return `${lines.join("\n")}\n`;
}

function optionText({ name, short, value, takes }: OptionSpec): string {
  const shown = value === undefined ? "" : takes === undefined ? ` <${value}>` : `[=${value}]`;
  return `${short ? `-${short}, ` : ""}--${name}${shown}`;
}

function describe({ description, choices, repeatable }: OptionSpec): string {
  return `${description}${choices ? ` (${choices.join(" | ")})` : ""}${repeatable ? " (repeatable)" : ""}`;
}

/** Two columns, the right one aligned and wrapped. */
export function columns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const left = Math.min(Math.max(...rows.map(([text]) => text.length)), WIDEST_LEFT);
  const indent = " ".repeat(left + 4);
  return rows.flatMap(([text, meaning]) => {
    const [first = "", ...more] = wrap(meaning, width, indent);
    if (text.length > left) return [`  ${text}`, first, ...more];
    return [`  ${text.padEnd(left)}  ${first.slice(indent.length)}`.trimEnd(), ...more];
  });
}

/** Wraps lines between words. Preformatted lines (with two spaces in a row) stay. */
export function wrap(text: string, width: number, indent = ""): string[] {
  return text.split("\n").flatMap((line) => {
    if (line.includes("  ")) return [`${indent}${line}`];
    const lines: string[] = [];
    let current = indent;
    for (const word of line.split(" ")) {
      const isFirst = current.length === indent.length;
      if (!isFirst && current.length + 1 + word.length > width) {
        lines.push(current);
        current = `${indent}${word}`;
      } else current += isFirst ? word : ` ${word}`;
    }
    return [...lines, current.trimEnd()];
  });
}
