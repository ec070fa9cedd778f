import { AgentMuxError } from "../../core/errors.ts";
import { createClient } from "../../index.ts";
import { SETTING_KEYS } from "../../run/config.ts";
import type { Command } from "../command.ts";
import { shownValue } from "../setting-value.ts";

const command: Command = {
  name: "config get",
  arguments: [{ name: "key", description: "for example timeout or agents.codex.model", completes: SETTING_KEYS }],
  examples: [
    ["amux config get defaultAgent", "the agent that runs by default"],
    ["amux config get retryPolicy.maxAttempts", "part of a setting"],
  ],
  async run({ arguments: [key], output }) {
    const value = createClient().config.get(key!);
    if (value === undefined) throw new AgentMuxError("VALIDATION_ERROR", `${key} is not set. See amux config list.`);
    if (output.json) return output.writeJson({ key, value });
    await output.write(`${shownValue(value)}\n`);
  },
};

export default command;
