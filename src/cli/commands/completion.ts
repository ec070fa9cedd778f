import { knownSessions } from "../../client/session-list.ts";
import { createClient } from "../../index.ts";
import { AMUX_SESSION } from "../../status/status-file.ts";
import { usageError, type Command } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { LISTS, type ListName } from "../completion/offers.ts";
import { AGENT_OPTION } from "../filters.ts";
import { statusStore } from "../tmux-sessions.ts";
import { localSessions } from "../local-sessions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

const command: Command = {
  name: "completion",
  description:
    "Prints a script that completes commands, options and their values, agents, and the names of sessions and profiles.",
  arguments: [{ name: "shell", description: SHELLS.join(", "), completes: SHELLS, optional: true }],
  options: [
    { name: "list", value: "what", description: "print the offered names, one per line", choices: LISTS },
    { ...AGENT_OPTION, description: "the agent of --list ids" },
  ],
  examples: [
    ["amux completion bash > ~/.local/share/bash-completion/completions/amux", "for bash"],
    ['amux completion zsh > "${fpath[1]}/_amux"', "for zsh"],
    ["amux completion fish > ~/.config/fish/completions/amux.fish", "for fish"],
    ["amux completion --list sessions", "what amux attach <tab> offers"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const list = invocation.text("list") as ListName | undefined;
    if (list !== undefined) {
      const names = await namesIn(list, invocation.text("agent"));
      return output.json ? output.writeJson(names) : output.write(names.map((name) => `${name}\n`));
    }
    const [shell] = invocation.arguments;
    if (shell === undefined) throw usageError(`Missing shell: completion supports ${SHELLS.join(", ")}.`);
    if (!SHELLS.some((known) => known === shell))
      throw usageError(`Completion supports ${SHELLS.join(", ")}, not "${shell}".`);
    const loaded = await Promise.all(
      COMMANDS.filter(({ isPlumbing }) => isPlumbing !== true).map(async (entry) => {
        const command = (await entry.load()).default;
        return entry.shortName === undefined ? [command] : [command, { ...command, name: entry.shortName }];
      }),
    );
    const commands = loaded.flat();
    if (shell === "fish") return output.write(fishScript(commands));
    const forZsh = shell === "zsh" ? "#compdef amux\nautoload -U +X bashcompinit && bashcompinit\n" : "";
    await output.write(`${forZsh}${bashScript(commands)}`);
  },
};

export default command;

async function namesIn(list: ListName, agent: string | undefined): Promise<string[]> {
  if (list === "profiles") return profileNames();
  if (list !== "ids") return sessionNames(list);
  const { sessions, adapters } = localSessions();
  // Shells ask at every word, also where no agent precedes it.
  if (agent === undefined || !adapters.list().includes(agent)) return [];
  return (await sessions.matching(agent, "")).filter((id) => PLAIN_NAME.test(id));
}

/** Shells split names at blanks and execute some other characters. */
const PLAIN_NAME = /^[\w.@:/+-]+$/;

/** Each session once, by its name or else its id, newest first; running ones with those of tmux. */
function sessionNames(list: "sessions" | "ended" | "all-sessions"): string[] {
  const own = knownSessions(sessionDirectories())
    .filter(({ alive }) => list === "all-sessions" || alive === (list === "sessions"))
    .map(
      ({ meta: { id, name, slug } }) => [name, slug].find((each) => each !== undefined && PLAIN_NAME.test(each)) ?? id,
    );
  // amux's own sessions have such files too, by their slugs.
  const files =
    list === "ended"
      ? []
      : statusStore()
          .list()
          .filter(({ file }) => file[AMUX_SESSION] === undefined);
  return [...new Set([...own, ...files.map(({ name }) => name)])].filter((name) => PLAIN_NAME.test(name));
}

function profileNames(): string[] {
  return [
    ...new Set(
      createClient()
        .profiles.list()
        .map(({ name }) => name),
    ),
  ];
}
