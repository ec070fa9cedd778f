/** The completion script of fish. */
import type { Command } from "../command.ts";
import { summaryOf } from "../commands.ts";
import { groupsOf, offersOf, type Offer } from "./offers.ts";

export function fishScript(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const lines = ["complete -c amux -f", `complete -c amux -n __fish_use_subcommand -a help -d 'show help'`];
  for (const [group, verbs] of groups) {
    const itself = commands.find(({ name }) => name === group);
    const about = itself === undefined ? "" : ` -d '${escaped(summaryOf(group))}'`;
    lines.push(`complete -c amux -n __fish_use_subcommand -a ${group}${about}`);
    const names = verbs.map(({ name }) => name.slice(group.length + 1));
    for (const [index, verb] of verbs.entries()) {
      const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${names.join(" ")}`;
      lines.push(`complete -c amux -n '${condition}' -a ${names[index]} -d '${escaped(summaryOf(verb.name))}'`);
    }
  }
  for (const command of commands) lines.push(...commandLines(command));
  return `${lines.join("\n")}\n`;
}

function commandLines(command: Command): string[] {
  const { arguments: places, options } = offersOf(command);
  const seen = command.name
    .split(" ")
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join("; and ");
  const lines = places
    .map((offer, index) => ({ offer, at: `${seen}; and test (count (${WORDS_BEFORE})) ${placeOf(command, index)}` }))
    .filter(({ offer }) => offer.length > 0)
    .map(({ offer, at }) => `complete -c amux -n '${at}' -a '${text(offer)}'`);
  for (const { name, short, value, description, offer } of options) {
    const letter = short === undefined ? "" : ` -s ${short}`;
    const values = value === undefined ? "" : ` -r${offer.length === 0 ? "" : ` -f -a '${text(offer)}'`}`;
    lines.push(`complete -c amux -n '${seen}' -l ${name}${letter}${values} -d '${escaped(description)}'`);
  }
  return lines;
}

/** Without options; their values count. */
const WORDS_BEFORE = 'string match -v -- "-*" (commandline -opc)';

/** How many words precede an argument: `amux`, those of the command, and the arguments before it. */
function placeOf({ name, arguments: places = [] }: Command, index: number): string {
  const isOpen = index === places.length - 1 && places[index]!.several === true;
  return `${isOpen ? "-ge" : "-eq"} ${1 + name.split(" ").length + index}`;
}

function text(offer: Offer): string {
  if (offer === "ids") return "(amux completion --list ids --agent (commandline -opc)[-1] 2>/dev/null)";
  return typeof offer === "string" ? `(amux completion --list ${offer} 2>/dev/null)` : offer.join(" ");
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`);
}
