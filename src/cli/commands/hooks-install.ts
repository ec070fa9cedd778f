import { hookedAgents } from "../../agents/hooked-agents.ts";
import type { HookInstallation } from "../../core/hooks.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { installHooks, withoutLine } from "../../status/hook-install.ts";
import type { Command } from "../command.ts";
import { attempted, HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";

const command: Command = {
  name: "hooks install",
  description:
    "Adds amux's hooks to the settings of an agent, or of every installed agent. Claude Code also gets a status line, beside the one you have (see amux statusline). Existing settings are kept, and amux hooks uninstall restores them. Sessions that amux starts need no installed hooks.",
  arguments: [HOOK_AGENT_ARGUMENT],
  options: [{ name: "no-status-line", description: "hooks only" }],
  examples: [
    ["amux hooks install", "for every agent on this machine"],
    ["amux hooks install claude", "for Claude Code, installed or not"],
  ],
  async run(invocation) {
    const {
      arguments: [name],
      output,
    } = invocation;
    const chosen = invocation.flag("no-status-line")
      ? withoutLine
      : (place: HookInstallation): HookInstallation => place;
    const agents = (await hookedAgents(processEnv(), name)).filter(
      ({ isInstalled }) => isInstalled || name !== undefined,
    );
    const results = agents.map(({ adapter, place }) => ({
      ...attempted(() => installHooks(chosen(place))),
      agent: adapter.name,
      path: place.target.path,
      adapter,
    }));
    const failed = results.find(({ error }) => error !== undefined);
    if (output.json) {
      await output.writeJson(
        results.map(({ adapter: _, error, ...rest }) => ({ ...rest, ...(error ? { error: error.message } : {}) })),
      );
      return failed ? 1 : 0;
    }
    for (const { adapter, path, changed, error } of results) {
      if (error) output.note(`${adapter.displayName}: ${error.message}`);
      else await output.write(`${adapter.displayName}: ${changed ? "installed in" : "already in"} ${path}\n`);
      const hidden = adapter.hooks?.hiddenBy?.(processEnv());
      if (hidden !== undefined) output.note(`  ${hidden}`);
      if (changed && adapter.hooks?.afterInstall !== undefined) output.note(`  ${adapter.hooks.afterInstall}`);
    }
    if (results.length === 0)
      output.note("No agent that has hooks was found on the PATH. Name one to install its hooks anyway.");
    return failed ? 1 : 0;
  },
};

export default command;
