import type { Command } from "../command.ts";
import { LABELLED_SESSION, labelSession } from "../label-session.ts";

const command: Command = {
  name: "sessions star",
  description: "Stars are kept in amux's home; the agent's files stay as they are.",
  arguments: [LABELLED_SESSION],
  options: [{ name: "remove", description: "remove the star" }],
  examples: [
    ["amux sessions star claude:5cbe954d", "mark a session worth keeping"],
    ["amux sessions list --starred", "find it again"],
  ],
  run: (invocation) => labelSession(invocation, (label) => ({ ...label, starred: !invocation.flag("remove") })),
};

export default command;
