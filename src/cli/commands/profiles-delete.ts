import { AgentMuxError } from "../../core/errors.ts";
import { createClient } from "../../index.ts";
import type { Scope } from "../../run/config-directories.ts";
import type { Command } from "../command.ts";
import { SCOPE_OPTION } from "../setting-value.ts";

const command: Command = {
  name: "profiles delete",
  arguments: [{ name: "name", description: "the profile", completes: "profiles" }],
  options: [SCOPE_OPTION],
  examples: [
    ["amux profiles delete review", "your own"],
    ["amux profiles delete review --scope project", "the project's"],
  ],
  async run(invocation) {
    const [name] = invocation.arguments;
    const scope = (invocation.text("scope") ?? "global") as Scope;
    if (!createClient().profiles.delete(name!, { scope })) {
      throw new AgentMuxError("PROFILE_NOT_FOUND", `There is no ${scope} profile "${name}". See amux profiles list.`);
    }
    if (invocation.output.json) await invocation.output.writeJson({ name, scope, deleted: true });
  },
};

export default command;
