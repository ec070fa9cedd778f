import { AT_OPTION, reopenSession, REOPEN_OPTIONS } from "../reopen-session.ts";
import type { Command } from "../command.ts";
import { SESSION_ARGUMENTS } from "../session-reference.ts";

const command: Command = {
  name: "sessions fork",
  description:
    "Same as amux run --fork: the agent continues with a copy, and the original stays unchanged. With --at the copy ends at that message. An answer is kept as the last message; a prompt is left out, so that you can ask something else.",
  arguments: SESSION_ARGUMENTS,
  options: [AT_OPTION, ...REOPEN_OPTIONS],
  examples: [
    ["amux sessions fork claude 5cbe954d", "try another approach from here"],
    ["amux sessions fork claude 5cbe954d --at 12", "continue from message 12, as numbered by search and the page"],
    ["amux sessions fork pi:01a1dcc1 -p 'do it without the cache' --json", "for a script"],
    ["amux sessions fork pi:01a1dcc1 --dry-run", "only show the command"],
  ],
  run: (invocation) => reopenSession(invocation, "fork"),
};

export default command;
