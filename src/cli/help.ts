/** The help of the whole program. */
import { columns } from "./command-help.ts";
import { COMMANDS, type CommandEntry } from "./commands.ts";

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
