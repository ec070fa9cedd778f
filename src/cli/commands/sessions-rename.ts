import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Command } from "../command.ts";
import { LABELLED_SESSION, labelSession } from "../label-session.ts";

const command: Command = {
  name: "sessions rename",
  description:
    "The name replaces the title, and searches find both. It is kept in amux's home; the agent's files stay as they are. An empty name clears it.",
  arguments: [LABELLED_SESSION, { name: "name", description: "the new name" }],
  examples: [
    ["amux sessions rename claude:5cbe954d 'health route'", "give it a name that is easy to find"],
    ["amux sessions rename claude:5cbe954d ''", "back to its own title"],
  ],
  async run(invocation) {
    const name = oneLine(invocation.arguments[1] ?? "");
    await labelSession(invocation, ({ tags, starred }) => ({
      tags,
      starred,
      ...optional("name", name === "" ? undefined : name),
    }));
  },
};

export default command;
