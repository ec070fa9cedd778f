/** Every verb, one line each. A command's code is loaded when it is used. */
import type { Command } from "./command.ts";

export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<{ default: Command }>;
}

export const COMMANDS: readonly CommandEntry[] = [
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
