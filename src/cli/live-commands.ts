/** Verbs for sessions that run. */
import type { CommandEntry } from "./command.ts";

export const LIVE_COMMANDS: readonly CommandEntry[] = [
  { name: "ls", summary: "List the sessions in terminals, alive and dead", load: () => import("./commands/ls.ts") },
  { name: "attach", summary: "Show a session in this terminal", load: () => import("./commands/attach.ts") },
  { name: "send", summary: "Send a message or keys to a session", load: () => import("./commands/send.ts") },
  {
    name: "wait",
    summary: "Wait until a session is idle, ends or says something",
    load: () => import("./commands/wait.ts"),
  },
  { name: "rename", summary: "Give a session a name", load: () => import("./commands/rename.ts") },
  { name: "kill", summary: "End the programs of sessions", load: () => import("./commands/kill.ts") },
  { name: "dismiss", summary: "End sessions and forget them", load: () => import("./commands/dismiss.ts") },
];
