/** The help of one command, from its declaration. */
import { optionsOf, type Command, type OptionSpec } from "./command.ts";

export function commandHelp(command: Command): string {
  const args = (command.arguments ?? []).map(
    ({ name, optional, several }) => `${optional ? `[${name}]` : `<${name}>`}${several ? "…" : ""}`,
  );
  const rest = command.rest === undefined ? [] : [`[-- ${command.rest.name}…]`];
  const lines = [
    `Usage: amux ${[command.name, ...args, "[options]", ...rest].join(" ")}`,
    "",
    command.description ?? `${command.summary}.`,
    "",
  ];
  const described = [...(command.arguments ?? []), ...(command.rest === undefined ? [] : [command.rest])];
  if (described.length > 0) {
    lines.push("Arguments:", ...columns(described.map((argument) => [argument.name, argument.description])), "");
  }
  lines.push("Options:", ...columns(optionsOf(command).map((option) => [optionText(option), describe(option)])), "");
  lines.push("Examples:");
  for (const [example, meaning] of command.examples) lines.push(`  ${example}`, `      ${meaning}`);
  return `${lines.join("\n")}\n`;
}

function optionText({ name, short, value }: OptionSpec): string {
  return `${short ? `-${short}, ` : ""}--${name}${value === undefined ? "" : ` <${value}>`}`;
}

function describe({ description, choices, repeatable }: OptionSpec): string {
  return `${description}${choices ? ` (${choices.join(" | ")})` : ""}${repeatable ? " (repeatable)" : ""}`;
}

/** Two columns, the right one aligned. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
