import { handOver, HAND_OVER_OPTIONS } from "../hand-over.ts";
import type { Command } from "../command.ts";
import { SESSION_ARGUMENTS } from "../session-reference.ts";

const command: Command = {
  name: "sessions resume",
  summary: "Go on with a session in its agent",
  description: "Starts the agent's own resume command in this terminal, in the directory the session belongs to.",
  arguments: SESSION_ARGUMENTS,
  options: HAND_OVER_OPTIONS,
  examples: [
    ["amux sessions resume claude 5cbe954d", "continue it here"],
    ["amux sessions resume codex:01a1dce3 --dry-run", "only show the command"],
  ],
  run: (invocation) => handOver(invocation, "resume"),
};

export default command;
