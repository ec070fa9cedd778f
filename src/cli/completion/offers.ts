/** What a shell can offer at each place of a command line: words known now, or a list it asks amux for. */
import { BUILTIN_AGENT_NAMES } from "../../agents/builtin.gen.ts";
import { optionsOf, type ArgumentSpec, type Command, type OptionSpec } from "../command.ts";

/** What `amux completion --list` prints. */
export const LISTS = ["sessions", "profiles"] as const;
export type ListName = (typeof LISTS)[number];

/** Words, or the name of a list. */
export type Offer = readonly string[] | ListName;

export interface Offers {
  /** Of the first, second, … argument. */
  arguments: Offer[];
  /** Of all arguments after those. */
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

/** Verbs by the word they follow: `sessions` → `list`, `show`, … */
export function groupsOf(commands: readonly Command[]): Map<string, Command[]> {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const [group = ""] = command.name.split(" ");
    groups.set(group, [...(groups.get(group) ?? []), ...(command.name === group ? [] : [command])]);
  }
  return groups;
}

function offerOf({ completes = [] }: ArgumentSpec): Offer {
  return completes === "agents" ? BUILTIN_AGENT_NAMES : completes;
}

function valuesOf({ name, choices, value }: OptionSpec): Offer {
  if (choices) return choices;
  if (value === undefined) return [];
  if (name === "agent") return BUILTIN_AGENT_NAMES;
  return name === "profile" ? "profiles" : [];
}
