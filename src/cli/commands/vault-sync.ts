import { Vault } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { describedSync, noteFailed, syncNow } from "../vault/sync-now.ts";

const command: Command = {
  name: "vault sync",
  description:
    "Copies session files that are new or changed since the last time. The daemon does this every 30 minutes while the vault is enabled. It can be interrupted and repeated at any time. The exit code is 1 if a file could not be read.",
  options: [{ name: "settled", description: "leave files that changed in the last 5 minutes for the next time" }],
  examples: [
    ["amux vault sync", "copy now"],
    ["*/30 * * * * amux vault sync --settled", "from cron, without the daemon"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const result = await syncNow(new Vault(processEnv()), output, invocation.flag("settled"));
    if (output.json) await output.writeJson(result);
    else {
      await output.write(`${describedSync(result)}\n`);
      noteFailed(result, output);
    }
    return result.failed.length > 0 ? 1 : 0;
  },
};

export default command;
