import { createClient } from "../../index.ts";
import type { Command } from "../command.ts";
import { shownValue } from "../setting-value.ts";

const command: Command = {
  name: "profiles show",
  summary: "Show a profile as it applies here",
  arguments: [{ name: "name", description: "the profile", completes: "profiles" }],
  examples: [
    ["amux profiles show review", "what amux run --profile review starts from"],
    ["amux profiles show review --json", "for a script"],
  ],
  async run({ arguments: [name], output }) {
    const profile = createClient().profiles.show(name!);
    if (output.json) return output.writeJson(profile);
    await output.write(Object.entries(profile).map(([field, value]) => `${field}  ${shownValue(value)}\n`));
  },
};

export default command;
