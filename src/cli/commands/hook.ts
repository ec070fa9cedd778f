import { runHook } from "../../hook/run-hook.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "hook",
  summary: "What agents call when something happens",
  description:
    "Reads what an agent says from standard input and hands it to the session it runs in: an amux session, or the status file of a tmux session. Always succeeds and prints nothing. Installed hooks use a smaller program that does the same.",
  arguments: [
    { name: "agent", description: "who is calling", completes: "agents" },
    { name: "event", description: "what has happened, where the input does not say", optional: true },
  ],
  examples: [["amux hook claude < payload.json", "as Claude Code would"]],
  async run({ arguments: args }) {
    try {
      await runHook(args, process.env, () => undefined);
    } catch {
      // An agent must never fail because of us.
    }
  },
};

export default command;
