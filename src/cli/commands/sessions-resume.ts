import { reopenSession, REOPEN_OPTIONS } from "../reopen-session.ts";
import type { Command } from "../command.ts";
import { SESSION_ARGUMENTS } from "../session-reference.ts";

const command: Command = {
  name: "sessions resume",
  description:
    "Same as amux run --session. Without a prompt, the agent opens in a persistent session, in the directory of its session.",
  arguments: SESSION_ARGUMENTS,
  options: REOPEN_OPTIONS,
  examples: [
    ["amux sessions resume claude 5cbe954d", "continue it here"],
    ["amux sessions resume claude 5cbe954d -p 'and the tests?' -d", "one more prompt, in the background"],
    ["amux sessions resume codex:01a1dce3 --dry-run", "only show the command"],
  ],
  run: (invocation) => reopenSession(invocation, "resume"),
};

export default command;
