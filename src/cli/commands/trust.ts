import { resolve } from "node:path";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { setUpOf } from "../../changes/worktree/set-up-of.ts";
import { findTaskConfig } from "../../status/tasks/task-config.ts";
import { programsOf } from "../../status/tasks/task-service.ts";
import { TrustFile } from "../../status/trust.ts";
import type { Command } from "../command.ts";
import { existing } from "../run/run-options.ts";

const command: Command = {
  name: "trust",
  description:
    "A project can name a program that lists its tasks, and in .agent-mux/worktree.json a command that sets up its worktrees. amux runs them only after you trust the project. Trust ends when a program or the settings that name it change. Read them first: they run as you.",
  arguments: [{ name: "dir", description: "the project (default: here)", optional: true }],
  examples: [
    ["amux trust", "this project"],
    ["amux trust list", "all trusted projects"],
    ["amux trust remove ~/dev/shop", "stop running its programs"],
  ],
  async run({ arguments: [dir = "."], output }) {
    const env = processEnv();
    const config = findTaskConfig(env, existing(resolve(dir)));
    const tasks = config && programsOf(config, env);
    const setUp = await setUpOf(existing(resolve(dir)));
    const all = [tasks, setUp].filter((programs) => programs !== undefined);
    if (all.length === 0) {
      if (output.json) return output.writeJson({ directory: resolve(dir), runs: [] });
      return output.note(`${resolve(dir)} has no program that amux would run. Nothing to trust.`);
    }
    const trust = new TrustFile(amuxHome(env));
    const entries = all.map((programs) => trust.trust(programs, new Date()));
    if (output.json) {
      const [first, ...others] = entries;
      return output.writeJson({ ...first, ...(others.length === 0 ? {} : { also: others }) });
    }
    await output.write(
      entries.map(({ directory, use, runs }) => {
        const when = use === "worktree" ? " in new worktrees" : "";
        return `Trusted: ${oneLine(directory)} may run ${oneLine(runs.join(", "))}${when}.\n`;
      }),
    );
  },
};

export default command;
