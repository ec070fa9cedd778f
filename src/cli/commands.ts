/** Every command, one line each. A command's code is loaded when it runs. */
import type { CommandEntry } from "./command.ts";
import { LIVE_COMMANDS } from "./live-commands.ts";
import { VAULT_COMMANDS } from "./vault-commands.ts";

export type { CommandEntry } from "./command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  { name: "open", summary: "Open the page in the browser", load: () => import("./commands/open.ts") },
  {
    name: "sessions list",
    summary: "List the sessions of one agent, or of all",
    load: () => import("./commands/sessions-list.ts"),
  },
  {
    name: "sessions show",
    shortName: "show",
    summary: "Read one session",
    load: () => import("./commands/sessions-show.ts"),
  },
  {
    name: "sessions search",
    shortName: "search",
    summary: "Search all sessions",
    load: () => import("./commands/sessions-search.ts"),
  },
  {
    name: "sessions export",
    shortName: "export",
    summary: "Export a session as JSON, Markdown or HTML",
    load: () => import("./commands/sessions-export.ts"),
  },
  {
    name: "share create",
    summary: "Make a link that shows one session without its secrets",
    load: () => import("./commands/share-create.ts"),
  },
  { name: "share list", summary: "List links to sessions", load: () => import("./commands/share-list.ts") },
  { name: "share revoke", summary: "End a link to a session", load: () => import("./commands/share-revoke.ts") },
  {
    name: "sessions diff",
    summary: "Compare two sessions, message by message",
    load: () => import("./commands/sessions-diff.ts"),
  },
  {
    name: "sessions resume",
    summary: "Resume a session",
    load: () => import("./commands/sessions-resume.ts"),
  },
  {
    name: "sessions fork",
    summary: "Fork a session",
    load: () => import("./commands/sessions-fork.ts"),
  },
  { name: "sessions tag", summary: "Tag a past session", load: () => import("./commands/sessions-tag.ts") },
  { name: "sessions star", summary: "Star a past session", load: () => import("./commands/sessions-star.ts") },
  { name: "sessions rename", summary: "Rename a past session", load: () => import("./commands/sessions-rename.ts") },
  {
    name: "review add",
    summary: "Comment on lines that a session changed",
    load: () => import("./commands/review-add.ts"),
  },
  { name: "review list", summary: "List comments and their state", load: () => import("./commands/review-list.ts") },
  {
    name: "review send",
    summary: "Send the comments to an agent as one message",
    load: () => import("./commands/review-send.ts"),
  },
  { name: "review edit", summary: "Reword a comment", load: () => import("./commands/review-edit.ts") },
  { name: "review resolve", summary: "Mark comments as resolved", load: () => import("./commands/review-resolve.ts") },
  { name: "review remove", summary: "Delete comments", load: () => import("./commands/review-remove.ts") },
  {
    name: "review",
    summary: "Read what a session changed, and comment on it",
    load: () => import("./commands/review.ts"),
  },
  {
    name: "changes",
    summary: "Show what a session changed in its repository",
    load: () => import("./commands/changes.ts"),
  },
  {
    name: "blame",
    summary: "Show which session and message wrote lines, a commit or a pull request",
    load: () => import("./commands/blame.ts"),
  },
  {
    name: "cost report",
    shortName: "cost",
    summary: "Show what sessions cost",
    load: () => import("./commands/cost-report.ts"),
  },
  {
    name: "cost commits",
    summary: "Show what the commits of a repository cost",
    load: () => import("./commands/cost-commits.ts"),
  },
  {
    name: "limits",
    summary: "Show how much of your usage limits is left, and when they reset",
    load: () => import("./commands/limits.ts"),
  },
  {
    name: "budget set",
    summary: "Set a budget for sessions, a project, a day or a week",
    load: () => import("./commands/budget-set.ts"),
  },
  {
    name: "budget list",
    summary: "Show budgets and how much of each is used",
    load: () => import("./commands/budget-list.ts"),
  },
  { name: "budget remove", summary: "Remove a budget", load: () => import("./commands/budget-remove.ts") },
  {
    name: "archive use",
    summary: "Set the team archive's address",
    load: () => import("./commands/archive-use.ts"),
  },
  {
    name: "archive init",
    summary: "Create or upgrade an archive in a PostgreSQL database",
    load: () => import("./commands/archive-init.ts"),
  },
  {
    name: "archive review",
    summary: "Show what a push would send, and what it would redact",
    load: () => import("./commands/archive-review.ts"),
  },
  {
    name: "archive push",
    summary: "Send this machine's sessions to the archive",
    load: () => import("./commands/archive-push.ts"),
  },
  {
    name: "archive pull",
    summary: "Download archived sessions into a directory",
    load: () => import("./commands/archive-pull.ts"),
  },
  {
    name: "archive status",
    summary: "Show what the archive holds",
    load: () => import("./commands/archive-status.ts"),
  },
  {
    name: "archive share",
    summary: "Share archived sessions with a team, or stop sharing",
    load: () => import("./commands/archive-share.ts"),
  },
  {
    name: "archive shared",
    summary: "Who shared what with which team, and when",
    load: () => import("./commands/archive-shared.ts"),
  },
  {
    name: "archive purge",
    summary: "Take a leaked value out of everything you pushed",
    load: () => import("./commands/archive-purge.ts"),
  },
  {
    name: "archive retention",
    summary: "Keep nothing in the archive that is older than a date",
    load: () => import("./commands/archive-retention.ts"),
  },
  {
    name: "archive members",
    summary: "List, add or remove members and teams",
    load: () => import("./commands/archive-members.ts"),
  },
  {
    name: "status prune",
    summary: "Remove status files of tmux sessions that no longer exist",
    load: () => import("./commands/status-prune.ts"),
  },
  {
    name: "status set",
    summary: "Set the status of a session from a script",
    load: () => import("./commands/status-set.ts"),
  },
  { name: "status", summary: "Show what every session is doing", load: () => import("./commands/status.ts") },
  {
    name: "snooze",
    summary: "Snooze a session that needs attention",
    load: () => import("./commands/snooze.ts"),
  },
  {
    name: "answer",
    summary: "Answer a session that asks something",
    load: () => import("./commands/answer.ts"),
  },
  { name: "attention", summary: "List the sessions that need you", load: () => import("./commands/attention.ts") },
  {
    name: "details",
    summary: "Show git, time, tools, tokens and memory of a session",
    load: () => import("./commands/details.ts"),
  },
  {
    name: "explain",
    summary: "Show the evidence behind a session's status",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "projects",
    summary: "List projects with live sessions, and recent events",
    load: () => import("./commands/projects.ts"),
  },
  {
    name: "tasks",
    summary: "List a project's tasks and the current one",
    load: () => import("./commands/tasks.ts"),
  },
  {
    name: "trust list",
    summary: "List trusted projects and plug-ins",
    load: () => import("./commands/trust-list.ts"),
  },
  {
    name: "trust remove",
    summary: "Stop trusting a project or a plug-in",
    load: () => import("./commands/trust-remove.ts"),
  },
  {
    name: "trust",
    summary: "Trust a project's own programs",
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "hooks install",
    summary: "Install status hooks into agents",
    load: () => import("./commands/hooks-install.ts"),
  },
  {
    name: "hooks uninstall",
    summary: "Remove amux's hooks from agents",
    load: () => import("./commands/hooks-uninstall.ts"),
  },
  {
    name: "hooks status",
    summary: "Show which agents have amux's hooks",
    load: () => import("./commands/hooks-status.ts"),
  },
  {
    name: "statusline",
    summary: "Print a status line for an agent, tmux or a prompt",
    load: () => import("./commands/statusline.ts"),
  },
  {
    name: "hook",
    isPlumbing: true,
    summary: "Report an event of an agent (called by hooks)",
    load: () => import("./commands/hook.ts"),
  },
  {
    name: "run",
    summary: "Run an agent or any command in a persistent session",
    load: () => import("./commands/run.ts"),
  },
  ...LIVE_COMMANDS,
  {
    name: "resume",
    summary: "Restart an ended session, keeping its id",
    load: () => import("./commands/resume.ts"),
  },
  { name: "restart", summary: "End a session and start it again", load: () => import("./commands/restart.ts") },
  { name: "tail", summary: "Print the last lines of a session", load: () => import("./commands/tail.ts") },
  {
    name: "capture",
    summary: "Save a session's screen as text, ANSI, HTML or PNG",
    load: () => import("./commands/capture.ts"),
  },
  {
    name: "agents",
    summary: "List agents: installed, signed in, what they can do",
    load: () => import("./commands/agents.ts"),
  },
  {
    name: "mcp",
    summary: "Run an MCP server for agents",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "skill install",
    summary: "Tell agents how to use amux, with a skill file",
    load: () => import("./commands/skill-install.ts"),
  },
  {
    name: "skill uninstall",
    summary: "Remove amux's skill files",
    load: () => import("./commands/skill-uninstall.ts"),
  },
  {
    name: "skill status",
    summary: "Show which agents have amux's skill file",
    load: () => import("./commands/skill-status.ts"),
  },
  { name: "models", summary: "List models and their prices", load: () => import("./commands/models.ts") },
  { name: "profiles list", summary: "List profiles", load: () => import("./commands/profiles-list.ts") },
  {
    name: "profiles show",
    summary: "Show a profile as it applies here",
    load: () => import("./commands/profiles-show.ts"),
  },
  { name: "profiles set", summary: "Set one field of a profile", load: () => import("./commands/profiles-set.ts") },
  { name: "profiles delete", summary: "Delete a profile", load: () => import("./commands/profiles-delete.ts") },
  {
    name: "config list",
    summary: "List settings and where they come from",
    load: () => import("./commands/config-list.ts"),
  },
  { name: "config get", summary: "Show a setting", load: () => import("./commands/config-get.ts") },
  { name: "config set", summary: "Change a setting", load: () => import("./commands/config-set.ts") },
  {
    name: "daemon start",
    summary: "Start the daemon in the background",
    load: () => import("./commands/daemon-start.ts"),
  },
  {
    name: "daemon stop",
    summary: "Stop the daemon; sessions keep running",
    load: () => import("./commands/daemon-stop.ts"),
  },
  {
    name: "daemon restart",
    summary: "Restart the daemon; sessions keep running",
    load: () => import("./commands/daemon-restart.ts"),
  },
  {
    name: "daemon status",
    summary: "Show whether the daemon runs, and where",
    load: () => import("./commands/daemon-status.ts"),
  },
  {
    name: "daemon log",
    summary: "Show the daemon log",
    load: () => import("./commands/daemon-log.ts"),
  },
  {
    name: "daemon install",
    summary: "Start the daemon at every login",
    load: () => import("./commands/daemon-install.ts"),
  },
  { name: "daemon uninstall", summary: "Undo daemon install", load: () => import("./commands/daemon-uninstall.ts") },
  { name: "upgrade", summary: "Show how to upgrade amux", load: () => import("./commands/upgrade.ts") },
  { name: "peers add", summary: "Link another machine", load: () => import("./commands/peers-add.ts") },
  { name: "peers list", summary: "List linked machines", load: () => import("./commands/peers-list.ts") },
  { name: "peers retry", summary: "Try to reach a machine now", load: () => import("./commands/peers-retry.ts") },
  { name: "peers remove", summary: "Unlink a machine", load: () => import("./commands/peers-remove.ts") },
  {
    name: "peers status",
    summary: "Show whether linked machines can be reached",
    load: () => import("./commands/peers-status.ts"),
  },
  // After the others: the first matching entry wins.
  {
    name: "daemon",
    isPlumbing: true,
    summary: "Run the daemon in the foreground",
    load: () => import("./commands/daemon.ts"),
  },
  ...VAULT_COMMANDS,
  {
    name: "index status",
    summary: "Show what the search index covers",
    load: () => import("./commands/index-status.ts"),
  },
  {
    name: "index build",
    summary: "Bring the search index up to date",
    load: () => import("./commands/index-build.ts"),
  },
  { name: "index path", summary: "Print where the index is", load: () => import("./commands/index-path.ts") },
  { name: "index clear", summary: "Remove the search index", load: () => import("./commands/index-clear.ts") },
  {
    name: "doctor",
    summary: "Show what was found, read and skipped, and why",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "completion",
    summary: "Print shell completion for bash, zsh or fish",
    load: () => import("./commands/completion.ts"),
  },
];

export function summaryOf(command: string): string {
  return COMMANDS.find(({ name }) => name === command)?.summary ?? "";
}

/** The entry that matches the first arguments or a short name; `words` is how many. */
export function findCommand(argv: readonly string[]): { entry: CommandEntry; words: number } | undefined {
  for (const entry of COMMANDS) {
    const words = entry.name.split(" ");
    if (words.every((word, index) => argv[index] === word)) return { entry, words: words.length };
  }
  const entry = COMMANDS.find(({ shortName }) => shortName !== undefined && shortName === argv[0]);
  return entry === undefined ? undefined : { entry, words: 1 };
}
