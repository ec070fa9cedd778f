/** The program's help: one screen for newcomers, and `amux help all` with every command. */
import { columns, wrap } from "./command-help.ts";
import { COMMANDS, type CommandEntry } from "./commands.ts";

const FIRST_STEPS: readonly (readonly [command: string, meaning: string])[] = [
  ["amux run claude", "start an agent in a session that survives this terminal"],
  ["amux attention", "list the sessions that need you"],
  ["amux attach <session>", "open a session in this terminal; Ctrl-b d leaves it running"],
  ["amux search 'retry policy'", "search every session of every agent"],
  ["amux cost --since 30d", "show what the last 30 days cost"],
];

/** Groups of commands, in the order people need them. */
const SECTIONS: readonly (readonly [title: string, groups: readonly string[]])[] = [
  [
    "Terminal sessions",
    ["run", "ls", "attach", "send", "wait", "tail", "capture", "rename", "kill", "resume", "restart", "dismiss"],
  ],
  [
    "Status",
    [
      "attention",
      "answer",
      "snooze",
      "notify",
      "status",
      "explain",
      "details",
      "projects",
      "tasks",
      "trust",
      "hooks",
      "hook",
    ],
  ],
  ["History", ["sessions", "cost", "vault", "index", "doctor"]],
  ["Agents and settings", ["agents", "models", "profiles", "config", "mcp", "skill", "completion", "upgrade"]],
  ["Page, machines and teams", ["open", "daemon", "peers", "archive"]],
];

/** Fits into 80 columns and 40 lines. */
export function generalHelp(version: string, width: number): string {
  const lines = [
    `amux ${version}: one place for every coding-agent session, live or past`,
    "",
    "Usage: amux <command> [arguments] [options]",
    "       amux                          open the full-screen interface",
    "",
    "Start here:",
    ...columns(FIRST_STEPS, width),
    "",
    ...shownSections().flatMap(([title, entries]) => [
      `${title}:`,
      ...wrap([...groupsOf(entries)].map(wordsOf).join(", "), width, "  "),
    ]),
    "",
    "Options:",
    ...columns(
      [
        ["-h, --help", "show this help, or the help of a command"],
        ["-V, --version", "print the version"],
      ],
      width,
    ),
    "",
    ...wrap(
      "amux help <command> explains a command. amux help all lists every command, the environment variables and the " +
        "exit codes. Every command has --json.",
      width,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

export function allCommandsHelp(version: string, width: number): string {
  const lines = [
    `amux ${version}: all commands`,
    "",
    ...shownSections().flatMap(([title, entries]) => [
      `${title}:`,
      ...columns(
        entries.map(({ name, summary, shortName }) => [
          name,
          shortName === undefined ? summary : `${summary} (also: amux ${shortName})`,
        ]),
        width,
      ),
      "",
    ]),
    "Environment:",
    ...columns(
      [
        ["AMUX_HOME", "where amux keeps its files (default ~/.agent-mux)"],
        ["AMUX_PAGER", "the pager for long output (default: PAGER, then less)"],
        ["NO_COLOR, FORCE_COLOR", "turn colours off or on"],
      ],
      width,
    ),
    "",
    "Exit codes:",
    ...wrap(
      "0 ok, 1 general error, 2 wrong usage, 3 unknown agent, 4 agent not installed, 5 not signed in, 6 not " +
        "supported by the agent, 7 configuration, 8 no such session or peer, 9 no such profile, 10 plug-in, 11 timeout, " +
        "12 agent crashed, 13 aborted, 14 rate limited, 15 context exceeded, 127 command not found",
      width,
      "  ",
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function shownSections(): [title: string, entries: CommandEntry[]][] {
  const shown = COMMANDS.filter(({ isPlumbing }) => isPlumbing !== true);
  const listed = new Set(SECTIONS.flatMap(([, groups]) => groups));
  const others = [...groupsOf(shown)].filter((group) => !listed.has(group));
  const sections = others.length === 0 ? SECTIONS : [...SECTIONS, ["More", others] as const];
  return sections.map(([title, groups]) => [
    title,
    groups.flatMap((group) => shown.filter(({ name }) => firstWord(name) === group)),
  ]);
}

function groupsOf(entries: readonly CommandEntry[]): Set<string> {
  return new Set(entries.map(({ name }) => firstWord(name)));
}

/** `ls`, `peers add|list|…`, or `trust [list|remove]` if the word alone is also a command. */
function wordsOf(group: string): string {
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(" ")[1]!);
  if (verbs.length === 0) return group;
  const isCommand = COMMANDS.some(
    ({ name, shortName, isPlumbing }) => (name === group || shortName === group) && isPlumbing !== true,
  );
  return isCommand ? `${group} [${verbs.join("|")}]` : `${group} ${verbs.join("|")}`;
}

function firstWord(name: string): string {
  return name.split(" ")[0]!;
}
