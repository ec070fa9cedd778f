import { createClient } from "../../index.ts";
import type { Command } from "../command.ts";
import { shownValue } from "../setting-value.ts";

const command: Command = {
  name: "profiles show",
  arguments: [{ name: "name", description: "the profile", completes: "profiles" }],
  examples: [
    ["amux profiles show review", "options that amux run --profile review uses"],
    ["amux profiles show review --json", "for a script"],
  ],
  async run({ arguments: [name], output }) {
    const profile = createClient().profiles.show(name!);
    if (output.json) return output.writeJson(profile);
    await output.write(Object.entries(profile).map(([field, value]) => `${field}  ${shownValue(value)}\n`));
  },
};

export default command;
