import { runHook } from "../../hook/run-hook.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "hook",
  description:
    "Reads an agent's hook payload from standard input and reports it to its session. Always succeeds and prints nothing. Installed hooks use a smaller program that does the same.",
  arguments: [
    { name: "agent", description: "the calling agent", completes: "agents" },
    { name: "event", description: "the event, if the input does not name it", optional: true },
  ],
  examples: [["amux hook claude < payload.json", "as Claude Code would"]],
  async run({ arguments: args }) {
    try {
      await runHook(args, process.env, () => undefined);
    } catch {
      // An agent must never fail because of a hook.
    }
  },
};

export default command;
