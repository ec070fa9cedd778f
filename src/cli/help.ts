/** The help of the whole program. */
import { columns } from "./command-help.ts";
import { COMMANDS } from "./commands.ts";

export function generalHelp(version: string): string {
  const lines = [
    `amux ${version}: one place for every coding-agent session, live or past`,
    "",
    "Usage: amux <command> [arguments] [options]",
    "       amux                 on a terminal: all of it on one screen",
    "",
    ...sections(),
    "Options:",
    ...columns([
      ["-h, --help", "show this help; after a command, the command's"],
      ["-V, --version", "print the version"],
    ]),
    "",
    "Examples:",
    "  amux run claude",
    "      an agent in a terminal that outlives this one; Ctrl-b d detaches, amux attach comes back",
    "  amux attention",
    "      who is waiting for you, and for what",
    "  amux sessions list",
    "      every session of every agent on this machine, newest first",
    "  amux sessions search 'retry policy' --agent codex",
    "      where did we talk about it",
    "  amux cost report --since 30d --group-by model",
    "      what the last month cost",
    "",
    "Environment: AMUX_HOME (default ~/.agent-mux), AMUX_PAGER, NO_COLOR, FORCE_COLOR.",
    "Exit codes: 0 ok, 1 general, 2 usage, 3 unknown agent, 4 agent not installed, 5 authentication, 6 not supported by the",
    "agent, 7 configuration, 8 no such session or peer, 9 profile not found, 10 plug-in, 11 time-out, 12 agent crashed,",
    "13 aborted, 14 rate limited, 15 context exceeded.",
  ];
  return `${lines.join("\n")}\n`;
}

/** First words of commands that belong together, in the order in which people meet them. */
const SECTIONS: readonly (readonly [title: string, groups: readonly string[]])[] = [
  [
    "Sessions in terminals",
    ["run", "ls", "attach", "send", "wait", "tail", "capture", "rename", "kill", "resume", "restart", "dismiss"],
  ],
  [
    "Who needs you",
    ["attention", "answer", "snooze", "status", "explain", "details", "projects", "tasks", "trust", "hooks", "hook"],
  ],
  ["Past sessions", ["sessions", "cost", "index", "doctor"]],
  ["Agents and settings", ["agents", "models", "profiles", "config", "mcp", "completion"]],
  ["The page, other machines, a team", ["open", "daemon", "peers", "archive"]],
];

function sections(): string[] {
  const groupOf = (name: string): string => name.split(" ")[0]!;
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const linesOf = (groups: readonly string[]): string[] =>
    groups.flatMap((group) =>
      COMMANDS.filter(({ name }) => groupOf(name) === group).map(
        ({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`,
      ),
    );
  const listed = new Set(SECTIONS.flatMap(([, groups]) => groups));
  const others = [...new Set(COMMANDS.map(({ name }) => groupOf(name)))].filter((group) => !listed.has(group));
  const all = others.length === 0 ? SECTIONS : [...SECTIONS, ["More", others] as const];
  return all.flatMap(([title, groups]) => [`${title}:`, ...linesOf(groups), ""]);
}
