import { resolve } from "node:path";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { findTaskConfig } from "../../status/tasks/task-config.ts";
import { programsOf } from "../../status/tasks/task-service.ts";
import { TrustFile } from "../../status/trust.ts";
import type { Command } from "../command.ts";
import { existing } from "../run/run-options.ts";

const command: Command = {
  name: "trust",
  description:
    "A project can name a program that lists its tasks. amux runs it only after you trust the project. Trust ends when the program or the settings that name it change. Read them first: they run as you.",
  arguments: [{ name: "dir", description: "the project (default: here)", optional: true }],
  examples: [
    ["amux trust", "this project"],
    ["amux trust list", "all trusted projects"],
    ["amux trust remove ~/dev/shop", "stop running its programs"],
  ],
  async run({ arguments: [dir = "."], output }) {
    const env = processEnv();
    const config = findTaskConfig(env, existing(resolve(dir)));
    const programs = config && programsOf(config, env);
    if (programs === undefined) {
      if (output.json) return output.writeJson({ directory: resolve(dir), runs: [] });
      return output.note(`${resolve(dir)} has no program that amux would run. Nothing to trust.`);
    }
    const entry = new TrustFile(amuxHome(env)).trust(programs, new Date());
    if (output.json) return output.writeJson(entry);
    await output.write(`Trusted: ${oneLine(entry.directory)} may run ${oneLine(entry.runs.join(", "))}.\n`);
  },
};

export default command;
