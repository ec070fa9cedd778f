/** The bash completion script, also run by zsh, where `words` is a special name and array slices differ. */
import type { Command } from "../command.ts";
import { groupsOf, offersOf, type Offer } from "./offers.ts";

export function bashScript(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const firsts = [...groups.keys()];
  const cases = [
    ...[...groups].filter(([, verbs]) => verbs.length > 0).map(([group, verbs]) => groupCase(group, verbs, commands)),
    // Longer names first: the first matching pattern wins.
    ...commands.toSorted((a, b) => b.name.split(" ").length - a.name.split(" ").length).map(commandCase),
  ];
  return `_amux() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" line="" at
  local offered="" values="" own=0 given=0 last="-" more=""
  local -a places=()
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do line="$line\${line:+ }\${COMP_WORDS[at]}"; done
  case "$line" in
    "") offered="${firsts.join(" ")} help --help --version" ;;
    help) offered="${firsts.join(" ")}" ;;
${cases.join("\n")}
    *) return ;;
  esac
  # A value of the option before, or else one of the arguments, or an option.
  if [[ " $values " != *" $previous "* ]]; then
    for ((at = own + 1; at < COMP_CWORD; at++)); do
      [[ "\${COMP_WORDS[at]}" == -* || " $values " == *" $last "* ]] || given=$((given + 1))
      last="\${COMP_WORDS[at]}"
    done
    offered="\${places[given]:-$more} $offered"
  fi
  case "$offered" in
    *@sessions*) offered="\${offered/@sessions/$(amux completion --list sessions 2>/dev/null)}" ;;
    *@ended*) offered="\${offered/@ended/$(amux completion --list ended 2>/dev/null)}" ;;
    *@all-sessions*) offered="\${offered/@all-sessions/$(amux completion --list all-sessions 2>/dev/null)}" ;;
    *@ids*) offered="\${offered/@ids/$(amux completion --list ids --agent "$previous" 2>/dev/null)}" ;;
    *@profiles*) offered="\${offered/@profiles/$(amux completion --list profiles 2>/dev/null)}" ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _amux amux
`;
}

/** Exactly the group's word: its subcommands, and its own arguments if it is also a command. */
function groupCase(group: string, verbs: readonly Command[], commands: readonly Command[]): string {
  const itself = commands.find(({ name }) => name === group);
  const own = itself === undefined ? ["--help"] : [argumentWords(itself), optionWords(itself)];
  const words = [...verbs.map(({ name }) => name.slice(group.length + 1)), ...own].filter((word) => word !== "");
  return `    "${group}") offered="${words.join(" ")}" ;;`;
}

function argumentWords(command: Command): string {
  return text(offersOf(command).arguments[0] ?? []);
}

function optionWords(command: Command): string {
  return offersOf(command)
    .options.map(({ name }) => `--${name}`)
    .join(" ");
}

function commandCase(command: Command): string {
  const { arguments: places, more, options } = offersOf(command);
  const valued = options.filter(({ value }) => value !== undefined);
  const names = valued.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  const offers = valued
    .filter(({ offer }) => offer.length > 0)
    .map(
      ({ name, short, offer }) =>
        `        --${name}${short === undefined ? "" : `|-${short}`}) offered="${text(offer)}" ;;`,
    );
  return [
    `    "${command.name}"|"${command.name} "*)`,
    `      own=${command.name.split(" ").length} values="${names.join(" ")}" more="${text(more)}"`,
    `      places=(${places.map((place) => `"${text(place)}"`).join(" ")})`,
    `      case "$previous" in`,
    ...offers,
    ...(names.length === 0 ? [] : [`        ${names.join("|")}) ;;`]),
    `        *) offered="${optionWords(command)}" ;;`,
    `      esac ;;`,
  ].join("\n");
}

function text(offer: Offer): string {
  return typeof offer === "string" ? `@${offer}` : offer.join(" ");
}
