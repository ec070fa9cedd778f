import { createClient, type RunDefaults } from "../../index.ts";
import type { Scope } from "../../run/config-directories.ts";
import { usageError, type Command } from "../command.ts";
import { SCOPE_OPTION, settingValue } from "../setting-value.ts";

const command: Command = {
  name: "profiles set",
  description: "Creates the profile if needed. Times are in milliseconds. Values are words or JSON.",
  arguments: [
    { name: "name", description: "the profile", completes: "profiles" },
    { name: "field", description: "a run option, for example agent, model, thinkingEffort or tags" },
    { name: "value", description: "its value", optional: true },
  ],
  options: [SCOPE_OPTION, { name: "unset", description: "remove the field" }],
  examples: [
    ["amux profiles set review agent codex", "a profile for reviews, run by this agent"],
    ["amux profiles set review tags '[\"review\"]'", "a field with a list"],
    ["amux profiles set review model --unset --scope project", "remove a field"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [name, field, text] = invocation.arguments;
    if ((text === undefined) !== invocation.flag("unset")) throw usageError("Give a value, or --unset.");
    const { profiles, adapters } = createClient();
    // Throws for an unknown agent, with the known names.
    if (field === "agent" && text !== undefined) await adapters.get(text);
    const scope = (invocation.text("scope") ?? "global") as Scope;
    const fields = { [field!]: text === undefined ? undefined : settingValue(text) } as RunDefaults;
    profiles.set(name!, fields, { scope });
    if (output.json) await output.writeJson(profiles.show(name!, { scope }));
  },
};

export default command;
