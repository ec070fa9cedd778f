import { BUILTIN_AGENT_NAMES } from "../../agents/builtin.gen.ts";
import { optionsOf, usageError, type Command } from "../command.ts";
import { COMMANDS } from "../commands.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

const command: Command = {
  name: "completion",
  summary: "Shell completion for bash, zsh or fish",
  description: "Prints a script that completes commands, options and agents.",
  arguments: [{ name: "shell", description: SHELLS.join(", "), completes: SHELLS }],
  examples: [
    ["amux completion bash > ~/.local/share/bash-completion/completions/amux", "for bash"],
    ['amux completion zsh > "${fpath[1]}/_amux"', "for zsh"],
    ["amux completion fish > ~/.config/fish/completions/amux.fish", "for fish"],
  ],
  async run({ arguments: [shell], output }) {
    const specs = await Promise.all(COMMANDS.map(async (entry) => (await entry.load()).default));
    switch (shell) {
      case "bash":
        return output.write(bash(specs));
      case "zsh":
        return output.write(`#compdef amux\nautoload -U +X bashcompinit && bashcompinit\n${bash(specs)}`);
      case "fish":
        return output.write(fish(specs));
      default:
        throw usageError(`Completion is there for ${SHELLS.join(", ")}, not for "${shell}".`);
    }
  },
};

export default command;

/** Words that can follow a command: its options, then what its first argument takes. */
function wordsAfter(spec: Command): string[] {
  const first = spec.arguments?.[0]?.completes;
  const values = first === "agents" ? [...BUILTIN_AGENT_NAMES] : [...(first ?? [])];
  return [...values, ...optionsOf(spec).map((option) => `--${option.name}`)];
}

function bash(specs: readonly Command[]): string {
  const cases = specs.map((spec) => {
    const choices = optionsOf(spec)
      .filter((option) => option.choices || option.name === "agent")
      .map((option) => `        --${option.name}) words="${(option.choices ?? BUILTIN_AGENT_NAMES).join(" ")}" ;;`);
    return `    "${spec.name}"*)\n      words="${wordsAfter(spec).join(" ")}"\n      case "$previous" in\n${choices.join("\n")}\n        *) ;;\n      esac ;;`;
  });
  const groups = [...new Set(specs.map((spec) => spec.name.split(" ")[0]!))];
  const verbs = groups
    .map((group) => ({
      group,
      verbs: specs.filter((spec) => spec.name.startsWith(`${group} `)).map((spec) => spec.name.split(" ")[1]),
    }))
    .filter((entry) => entry.verbs.length > 0)
    .map(({ group, verbs }) => `    "${group}"|"${group} "*)\n      words="${verbs.join(" ")} --help" ;;`);
  return `_amux() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$line" in
    "") words="${groups.join(" ")} --help --version" ;;
${cases.join("\n")}
${verbs.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _amux amux
`;
}

function fish(specs: readonly Command[]): string {
  const lines = ["complete -c amux -f"];
  for (const group of new Set(specs.map((spec) => spec.name.split(" ")[0]!))) {
    lines.push(`complete -c amux -n __fish_use_subcommand -a ${group}`);
  }
  for (const spec of specs) {
    const [group, verb] = spec.name.split(" ");
    if (verb !== undefined)
      lines.push(`complete -c amux -n '__fish_seen_subcommand_from ${group}' -a ${verb} -d '${escape(spec.summary)}'`);
    const seen =
      verb === undefined
        ? `__fish_seen_subcommand_from ${group}`
        : `__fish_seen_subcommand_from ${group}; and __fish_seen_subcommand_from ${verb}`;
    if (spec.arguments?.[0]?.completes === "agents")
      lines.push(`complete -c amux -n '${seen}' -a '${BUILTIN_AGENT_NAMES.join(" ")}'`);
    for (const option of optionsOf(spec)) {
      const values =
        option.value === undefined ? "" : ` -x${option.choices ? ` -a '${option.choices.join(" ")}'` : ""}`;
      lines.push(
        `complete -c amux -n '${seen}' -l ${option.name}${option.short ? ` -s ${option.short}` : ""}${values} -d '${escape(option.description)}'`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

function escape(text: string): string {
  return text.replaceAll("'", String.raw`\'`);
}
