/** Every verb, one line each. A command's code is loaded when it is used. */
import type { CommandEntry } from "./command.ts";
import { LIVE_COMMANDS } from "./live-commands.ts";

export type { CommandEntry } from "./command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  { name: "open", summary: "Open the page in the browser", load: () => import("./commands/open.ts") },
  {
    name: "sessions list",
    summary: "List past sessions, of one agent or of all",
    load: () => import("./commands/sessions-list.ts"),
  },
  { name: "sessions show", summary: "Read one session", load: () => import("./commands/sessions-show.ts") },
  {
    name: "sessions search",
    summary: "Search in all conversations",
    load: () => import("./commands/sessions-search.ts"),
  },
  {
    name: "sessions export",
    summary: "Write one session to standard output",
    load: () => import("./commands/sessions-export.ts"),
  },
  {
    name: "sessions diff",
    summary: "Compare two sessions message by message",
    load: () => import("./commands/sessions-diff.ts"),
  },
  {
    name: "sessions resume",
    summary: "Go on with a session in its agent",
    load: () => import("./commands/sessions-resume.ts"),
  },
  {
    name: "sessions fork",
    summary: "Branch off a session in its agent",
    load: () => import("./commands/sessions-fork.ts"),
  },
  { name: "cost report", summary: "What the sessions cost", load: () => import("./commands/cost-report.ts") },
  {
    name: "archive use",
    summary: "Keep the address of the team's archive",
    load: () => import("./commands/archive-use.ts"),
  },
  {
    name: "archive init",
    summary: "Make an archive in a PostgreSQL database, or bring it up to date",
    load: () => import("./commands/archive-init.ts"),
  },
  {
    name: "archive review",
    summary: "What a push would send, and what it would take out",
    load: () => import("./commands/archive-review.ts"),
  },
  {
    name: "archive push",
    summary: "Send this machine's sessions to the archive",
    load: () => import("./commands/archive-push.ts"),
  },
  {
    name: "archive pull",
    summary: "Fetch the archive's sessions into a directory",
    load: () => import("./commands/archive-pull.ts"),
  },
  {
    name: "archive status",
    summary: "What the archive holds and lacks",
    load: () => import("./commands/archive-status.ts"),
  },
  {
    name: "archive share",
    summary: "Share archived sessions with a team, or no longer",
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
    summary: "Who may use the archive, and in which teams",
    load: () => import("./commands/archive-members.ts"),
  },
  {
    name: "status prune",
    summary: "Remove status files of sessions that are gone",
    load: () => import("./commands/status-prune.ts"),
  },
  {
    name: "status set",
    summary: "Set the status of a session from a script",
    load: () => import("./commands/status-set.ts"),
  },
  { name: "status", summary: "What every session is doing", load: () => import("./commands/status.ts") },
  {
    name: "snooze",
    summary: "Hear of a waiting session later",
    load: () => import("./commands/snooze.ts"),
  },
  {
    name: "answer",
    summary: "Answer a session that waits for you",
    load: () => import("./commands/answer.ts"),
  },
  { name: "attention", summary: "Who is waiting for you", load: () => import("./commands/attention.ts") },
  {
    name: "details",
    summary: "Git, time, tools, tokens and memory of a session",
    load: () => import("./commands/details.ts"),
  },
  { name: "explain", summary: "Why a session's status is what it is", load: () => import("./commands/explain.ts") },
  {
    name: "projects",
    summary: "The projects of live sessions, and what has happened in them",
    load: () => import("./commands/projects.ts"),
  },
  {
    name: "tasks",
    summary: "A project's tasks and what is being worked on",
    load: () => import("./commands/tasks.ts"),
  },
  {
    name: "trust list",
    summary: "Projects whose programs amux may run",
    load: () => import("./commands/trust-list.ts"),
  },
  {
    name: "trust remove",
    summary: "Stop running a project's programs",
    load: () => import("./commands/trust-remove.ts"),
  },
  {
    name: "trust",
    summary: "Let amux run the programs a project brings along",
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "hooks install",
    summary: "Let agents tell amux what they are doing",
    load: () => import("./commands/hooks-install.ts"),
  },
  {
    name: "hooks uninstall",
    summary: "Take amux's hooks out again",
    load: () => import("./commands/hooks-uninstall.ts"),
  },
  { name: "hooks status", summary: "Which agents have amux's hooks", load: () => import("./commands/hooks-status.ts") },
  { name: "hook", summary: "What agents call when something happens", load: () => import("./commands/hook.ts") },
  {
    name: "run",
    summary: "Run an agent on a prompt, or anything in a session that stays",
    load: () => import("./commands/run.ts"),
  },
  ...LIVE_COMMANDS.map((entry) =>
    entry.name === "ls" ? { ...entry, load: () => import("./commands/ls-tmux.ts") } : entry,
  ),
  {
    name: "resume",
    summary: "Bring a dead session back under its own id",
    load: () => import("./commands/resume.ts"),
  },
  { name: "restart", summary: "End a session and bring it back", load: () => import("./commands/restart.ts") },
  { name: "tail", summary: "The last lines of a session's terminal", load: () => import("./commands/tail.ts") },
  {
    name: "capture",
    summary: "A session's screen as text, ANSI, HTML or PNG",
    load: () => import("./commands/capture.ts"),
  },
  {
    name: "agents",
    summary: "The agents: installed, signed in, what they can do",
    load: () => import("./commands/agents.ts"),
  },
  {
    name: "mcp",
    summary: "Serve sessions to agents, as an MCP server",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "models", summary: "Models and their prices", load: () => import("./commands/models.ts") },
  { name: "profiles list", summary: "List the profiles", load: () => import("./commands/profiles-list.ts") },
  {
    name: "profiles show",
    summary: "Show a profile as it holds here",
    load: () => import("./commands/profiles-show.ts"),
  },
  { name: "profiles set", summary: "Set one field of a profile", load: () => import("./commands/profiles-set.ts") },
  { name: "profiles delete", summary: "Delete a profile", load: () => import("./commands/profiles-delete.ts") },
  {
    name: "config list",
    summary: "Show amux's settings and where they come from",
    load: () => import("./commands/config-list.ts"),
  },
  { name: "config get", summary: "Show one of amux's settings", load: () => import("./commands/config-get.ts") },
  { name: "config set", summary: "Change one of amux's settings", load: () => import("./commands/config-set.ts") },
  {
    name: "daemon start",
    summary: "Start the daemon in the background",
    load: () => import("./commands/daemon-start.ts"),
  },
  { name: "daemon stop", summary: "End the daemon; sessions go on", load: () => import("./commands/daemon-stop.ts") },
  {
    name: "daemon restart",
    summary: "Replace the running daemon; sessions go on",
    load: () => import("./commands/daemon-restart.ts"),
  },
  {
    name: "daemon status",
    summary: "Whether the daemon runs, and where",
    load: () => import("./commands/daemon-status.ts"),
  },
  {
    name: "daemon log",
    summary: "Show what the daemon wrote down",
    load: () => import("./commands/daemon-log.ts"),
  },
  {
    name: "daemon install",
    summary: "Have the daemon started at every login",
    load: () => import("./commands/daemon-install.ts"),
  },
  { name: "daemon uninstall", summary: "Undo daemon install", load: () => import("./commands/daemon-uninstall.ts") },
  { name: "peers add", summary: "Link another machine", load: () => import("./commands/peers-add.ts") },
  { name: "peers list", summary: "The machines this one is linked to", load: () => import("./commands/peers-list.ts") },
  { name: "peers retry", summary: "Try to reach a machine at once", load: () => import("./commands/peers-retry.ts") },
  { name: "peers remove", summary: "End the link to a machine", load: () => import("./commands/peers-remove.ts") },
  {
    name: "peers status",
    summary: "Whether other machines can be reached",
    load: () => import("./commands/peers-status.ts"),
  },
  // After the others: the first entry whose words match is taken.
  { name: "daemon", summary: "Run the daemon in the foreground", load: () => import("./commands/daemon.ts") },
  {
    name: "index status",
    summary: "What the search index holds and lacks",
    load: () => import("./commands/index-status.ts"),
  },
  {
    name: "index build",
    summary: "Bring the search index up to date",
    load: () => import("./commands/index-build.ts"),
  },
  { name: "index clear", summary: "Remove the search index", load: () => import("./commands/index-clear.ts") },
  {
    name: "doctor",
    summary: "What is found, read and skipped, agent by agent",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "completion",
    summary: "Shell completion for bash, zsh or fish",
    load: () => import("./commands/completion.ts"),
  },
];
