/** Completions for each position of a command line: fixed words, or a list printed by amux. */
import { AgentRegistry } from "../../agents/registry.ts";
import { optionsOf, type ArgumentSpec, type Command, type OptionSpec } from "../command.ts";

/** Lists printed by `amux completion --list`. */
export const LISTS = ["sessions", "ended", "all-sessions", "ids", "profiles"] as const;
export type ListName = (typeof LISTS)[number];

/** Words, or the name of a list. */
export type Offer = readonly string[] | ListName;

export interface Offers {
  /** For the first, second, … argument. */
  arguments: Offer[];
  /** For all further arguments. */
  more: Offer;
  options: (OptionSpec & { offer: Offer })[];
}

export function offersOf(command: Command): Offers {
  const places = command.arguments ?? [];
  const last = places.at(-1);
  return {
    arguments: places.map(offerOf),
    more: last?.several === true ? offerOf(last) : [],
    options: optionsOf(command).map((option) => ({ ...option, offer: valuesOf(option) })),
  };
}

/** Subcommands by group: `sessions` → `list`, `show`, … */
export function groupsOf(commands: readonly Command[]): Map<string, Command[]> {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const [group = ""] = command.name.split(" ");
    groups.set(group, [...(groups.get(group) ?? []), ...(command.name === group ? [] : [command])]);
  }
  return groups;
}

function offerOf({ completes = [] }: ArgumentSpec): Offer {
  return completes === "agents" ? new AgentRegistry().names() : completes;
}

function valuesOf({ name, choices, value }: OptionSpec): Offer {
  if (choices) return choices;
  if (value === undefined) return [];
  if (name === "agent") return new AgentRegistry().names();
  return name === "profile" ? "profiles" : [];
}
