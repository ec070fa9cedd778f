import { statSync } from "node:fs";
import { resolve } from "node:path";
import { loadPlugin } from "../../agents/plugins.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { setUpOf } from "../../changes/worktree/set-up-of.ts";
import { PLUGIN_ENDING, pluginPrograms, readPlugin } from "../../status/plugin-files.ts";
import { taskConfigOf } from "../../status/tasks/task-config.ts";
import { programsOf } from "../../status/tasks/task-service.ts";
import { TrustFile } from "../../status/trust.ts";
import { usageError, type Command } from "../command.ts";
import type { Output } from "../output.ts";
import { existing } from "../run/run-options.ts";

const command: Command = {
  name: "trust",
  description:
    "A project can name a program that lists its tasks, and in .agent-mux/worktree.json a command that sets up its worktrees. amux runs them only after you trust the project. A plug-in is an agent in a file that ends in .mjs. Trust ends when a program, the settings that name it or the plug-in change; what a plug-in imports is not checked. Read them first: they run as you.",
  arguments: [{ name: "path", description: "the project (default: here), or a plug-in's file", optional: true }],
  examples: [
    ["amux trust", "this project"],
    ["amux trust ~/.agent-mux/plugins/notebot.mjs", "an agent of a plug-in"],
    ["amux trust list", "all trusted projects"],
    ["amux trust remove ~/dev/shop", "stop running its programs"],
  ],
  async run({ arguments: [dir = "."], output }) {
    const env = processEnv();
    if (statSync(dir, { throwIfNoEntry: false })?.isFile() === true) return trustPlugin(resolve(dir), output);
    const config = await taskConfigOf(env, existing(resolve(dir)));
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

/** It is loaded first: a file that is no plug-in needs no trust. */
async function trustPlugin(path: string, output: Output): Promise<void> {
  if (!path.endsWith(PLUGIN_ENDING))
    throw usageError(`A plug-in is a file that ends in ${PLUGIN_ENDING}: ${path} does not.`);
  const file = readPlugin(path);
  const { name, displayName } = await loadPlugin(file);
  const entry = new TrustFile(amuxHome(processEnv())).trust(pluginPrograms(file), new Date());
  if (output.json) return output.writeJson(entry);
  await output.write(`Trusted: ${oneLine(path)} adds the agent ${name} (${oneLine(displayName)}).\n`);
  output.note("A running daemon and its page know it after amux daemon restart.", "dim");
}
