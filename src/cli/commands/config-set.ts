import { createClient } from "../../index.ts";
import { SETTING_KEYS } from "../../run/config.ts";
import type { Scope } from "../../run/config-directories.ts";
import { usageError, type Command } from "../command.ts";
import { SCOPE_OPTION, settingValue } from "../setting-value.ts";

const command: Command = {
  name: "config set",
  description:
    "Settings apply to every run unless a profile or an option overrides them. Times are in milliseconds. Values are words or JSON.",
  arguments: [
    { name: "key", description: "for example timeout or agents.codex.model", completes: SETTING_KEYS },
    { name: "value", description: "the new value", optional: true },
  ],
  options: [SCOPE_OPTION, { name: "unset", description: "remove the setting" }],
  examples: [
    ["amux config set defaultAgent claude", "use this agent by default"],
    ["amux config set agents.codex.model gpt-5.5 --scope project", "a model for one agent in this project"],
    ["amux config set timeout --unset", "back to the default"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [key, text] = invocation.arguments;
    if ((text === undefined) !== invocation.flag("unset")) throw usageError("Give a value, or --unset.");
    const value = text === undefined ? undefined : settingValue(text);
    createClient().config.set(key!, value, { scope: (invocation.text("scope") ?? "global") as Scope });
    if (output.json) await output.writeJson({ key, value: value ?? null });
  },
};

export default command;
