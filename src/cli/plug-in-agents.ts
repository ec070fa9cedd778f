/** Agents of the user's plug-ins, before a command looks for agents. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";

/** Loads nothing on a machine without plug-ins and without anything trusted: most commands take milliseconds. */
export async function plugInAgents(): Promise<void> {
  const home = amuxHome(processEnv());
  if (!existsSync(join(home, "plugins")) && !existsSync(join(home, "trust.json"))) return;
  const { pluginFiles } = await import("../status/plugin-files.ts");
  const files = pluginFiles(home);
  if (files.trusted.length + files.problems.length > 0) await (await import("../agents/plugins.ts")).plugAgents(files);
}
