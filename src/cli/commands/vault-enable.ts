import { Vault } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { daemonClient } from "../daemon-process.ts";
import { bytes } from "../format/figures.ts";
import { parseSize } from "../sizes.ts";
import { describedSync, noteFailed, syncNow } from "../vault/sync-now.ts";

const command: Command = {
  name: "vault enable",
  description:
    "Copies the session files of agents that keep them as files (Claude Code, Codex, Copilot, Gemini CLI, Pi, omp and others) into ~/.agent-mux/vault, compressed, and keeps the copies when the agent deletes its own. Copies once now; afterwards the daemon copies what changed every 30 minutes. Without the daemon, amux vault sync does. Sessions in databases are not copied: those agents delete nothing because of its age. Nothing leaves the machine, and secrets in sessions are copied as they are.",
  options: [
    {
      name: "max-size",
      value: "size",
      description:
        "at most this much on the disk (default 5GB). The sessions that changed longest ago are dropped first",
    },
  ],
  examples: [
    ["amux vault enable", "keep what agents would delete"],
    ["amux vault enable --max-size 20GB", "the same with more room; also changes the limit later"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const given = invocation.text("max-size");
    const vault = new Vault(processEnv());
    vault.enable(given === undefined ? undefined : parseSize(given, "--max-size"));
    const result = await syncNow(vault, output);
    const { directory, maxBytes, bytes: size } = vault.status();
    if (output.json) return output.writeJson({ directory, maxBytes, bytes: size, ...result });
    await output.write(`${describedSync(result)}\n`);
    await output.write(`The vault is enabled: ${directory}, ${bytes(size)} of at most ${bytes(maxBytes)}.\n`);
    noteFailed(result, output);
    if ((await daemonClient().health()) === undefined)
      output.note("The daemon is not running. amux daemon start lets it copy; amux vault sync copies by hand.");
    return undefined;
  },
};

export default command;
