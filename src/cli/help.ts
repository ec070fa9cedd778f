/** Help texts, from the declarations. */
import { optionsOf, type Command, type OptionSpec } from "./command.ts";
import { COMMANDS, type CommandEntry } from "./commands.ts";

export function commandHelp(command: Command): string {
  const args = (command.arguments ?? []).map((argument) =>
    argument.optional ? `[${argument.name}]` : `<${argument.name}>`,
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

export function generalHelp(version: string): string {
  const lines = [
    `amux ${version}: one place for every coding-agent session, live or past`,
    "",
    "Usage: amux <command> [arguments] [options]",
    "",
    "Commands:",
    ...columns(COMMANDS.map((entry: CommandEntry) => [entry.name, entry.summary])),
    "",
    "Options:",
    ...columns([
      ["-h, --help", "show this help; after a command, the command's"],
      ["-V, --version", "print the version"],
    ]),
    "",
    "Examples:",
    "  amux sessions list",
    "      every session of every agent on this machine, newest first",
    "  amux sessions search 'retry policy' --agent codex",
    "      where did we talk about it",
    "  amux cost report --since 30d --group-by model",
    "      what the last month cost",
    "",
    "Environment: AMUX_HOME (default ~/.agent-mux), AMUX_PAGER, NO_COLOR, FORCE_COLOR.",
    "Exit codes: 0 ok, 1 general, 2 usage, 3 unknown agent, 4 agent not installed, 5 authentication, 6 not supported by the",
    "agent, 7 configuration, 8 session not found, 9 profile not found, 10 plug-in, 11 time-out, 12 agent crashed, 13 aborted,",
    "14 rate limited, 15 context exceeded.",
  ];
  return `${lines.join("\n")}\n`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
