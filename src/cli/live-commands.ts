/** Commands for running sessions. */
import type { CommandEntry } from "./command.ts";

export const LIVE_COMMANDS: readonly CommandEntry[] = [
  { name: "ls", summary: "List terminal sessions, running and ended", load: () => import("./commands/ls.ts") },
  { name: "attach", summary: "Open a session in this terminal", load: () => import("./commands/attach.ts") },
  { name: "send", summary: "Send a message or keys to a session", load: () => import("./commands/send.ts") },
  { name: "queue list", summary: "List queued and scheduled prompts", load: () => import("./commands/queue-list.ts") },
  { name: "queue edit", summary: "Change a queued prompt or its time", load: () => import("./commands/queue-edit.ts") },
  { name: "queue remove", summary: "Remove queued prompts", load: () => import("./commands/queue-remove.ts") },
  {
    name: "queue pause",
    summary: "Pause a prompt or a session's queue",
    load: () => import("./commands/queue-pause.ts"),
  },
  {
    name: "queue resume",
    summary: "Continue what was paused; send a held prompt",
    load: () => import("./commands/queue-resume.ts"),
  },
  {
    name: "queue",
    summary: "Queue a prompt for later: after this turn, after a reset, at a time",
    load: () => import("./commands/queue.ts"),
  },
  { name: "cast", summary: "Write the recording of a session", load: () => import("./commands/cast.ts") },
  {
    name: "wait",
    summary: "Wait until a session is idle, exits or prints a text",
    load: () => import("./commands/wait.ts"),
  },
  {
    name: "worktree list",
    summary: "List the worktrees of a repository, and what is in them",
    load: () => import("./commands/worktree-list.ts"),
  },
  {
    name: "worktree finish",
    summary: "Merge a worktree's branch and remove the worktree",
    load: () => import("./commands/worktree-finish.ts"),
  },
  {
    name: "worktree remove",
    summary: "Remove a worktree, if nothing would be lost",
    load: () => import("./commands/worktree-remove.ts"),
  },
  {
    name: "pr create",
    summary: "Open a pull request for what a session did",
    load: () => import("./commands/pr-create.ts"),
  },
  {
    name: "notify add",
    summary: "Notify me through ntfy or a webhook",
    load: () => import("./commands/notify-add.ts"),
  },
  { name: "notify list", summary: "List where notifications go", load: () => import("./commands/notify-list.ts") },
  { name: "notify remove", summary: "Remove a channel", load: () => import("./commands/notify-remove.ts") },
  { name: "notify test", summary: "Send a test message", load: () => import("./commands/notify-test.ts") },
  { name: "rename", summary: "Rename a session", load: () => import("./commands/rename.ts") },
  { name: "kill", summary: "End sessions", load: () => import("./commands/kill.ts") },
  {
    name: "dismiss",
    summary: "End sessions and remove them from the list",
    load: () => import("./commands/dismiss.ts"),
  },
];
