/** Suggestions for an unknown command: a group's subcommands, or the probable command. */
import { AgentMuxError } from "../core/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { COMMANDS, type CommandEntry } from "./commands.ts";

/** More would be a list, which is amux --help. */
const MAX_SUGGESTIONS = 2;

/** The subcommands of `amux sessions`, or undefined if no command begins with that word. */
export function groupHelp(group: string): string | undefined {
  const entries = verbsOf(group);
  if (entries.length === 0) return undefined;
  const verbs = entries.map((entry) => `  amux ${entry.name.padEnd(18)} ${entry.summary}`);
  return `Usage: amux ${group} <command> [options]\n\n${verbs.join("\n")}\n\nSee amux ${group} <command> --help.\n`;
}

export function unknownCommand(argv: readonly string[]): AgentMuxError {
  const [first = "", second = ""] = argv;
  if (first.startsWith("-")) {
    const close = nearest(first, ["--help", "--version"]);
    const hint = close === undefined ? "Options of a command come after its name." : `Did you mean ${close}?`;
    return wrong(`Unknown option ${first}. ${hint} See amux --help.`);
  }
  const verbs = verbsOf(first);
  if (verbs.length === 0)
    return wrong(`There is no command "${first}"${didYouMean(meant(first, second))}. See amux --help.`);
  const close = nearest(
    `${first} ${second}`,
    verbs.map(({ name }) => name),
  );
  const known = verbs.map(({ name }) => name.slice(first.length + 1)).join(", ");
  return wrong(
    `There is no command "${first} ${second}"${didYouMean(close === undefined ? [] : [close])}. amux ${first} has ${known}.`,
  );
}

/** `sesions list`, `session`, `search` (of sessions), `version`. */
function meant(first: string, second: string): string[] {
  const names = COMMANDS.flatMap(({ name, shortName }) => [
    name.split(" ")[0]!,
    ...(shortName === undefined ? [] : [shortName]),
  ]);
  const beginnings = [...new Set(names), "--version"];
  const close = nearest(first, beginnings);
  const verb = close === undefined ? undefined : verbsOf(close).find(({ name }) => name === `${close} ${second}`)?.name;
  const asVerb = COMMANDS.filter(({ name }) => name.split(" ")[1] === first).map(({ name }) => name);
  return [...(close === undefined ? [] : [verb ?? close]), ...asVerb].slice(0, MAX_SUGGESTIONS);
}

function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (did you mean ${names.map((name) => `"amux ${name}"`).join(" or ")}?)`;
}

function verbsOf(group: string): CommandEntry[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

function wrong(message: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message);
}
