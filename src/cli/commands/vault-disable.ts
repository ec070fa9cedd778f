import { Vault } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/figures.ts";
import { usageError } from "../command.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "vault disable",
  description:
    "Stops copying. What the vault holds stays, and is still listed and searched. With --delete the copies are removed too; it refuses if sessions are only in the vault, unless --yes is given.",
  options: [
    { name: "delete", description: "also remove all copies" },
    { name: "yes", description: "also if sessions would be lost" },
  ],
  examples: [
    ["amux vault disable", "copy nothing more"],
    ["amux vault disable --delete", "and remove the copies"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const vault = new Vault(processEnv());
    const isDeleted = invocation.flag("delete");
    const isForced = isDeleted && invocation.flag("yes");
    // Also a list that this amux cannot read must not keep the copies for ever.
    if (isForced) return deleted(vault, output);
    const { onlyInVault, sessions } = vault.status();
    if (isDeleted && onlyInVault > 0) {
      const which = `${counted(onlyInVault, "session")} ${onlyInVault === 1 ? "is" : "are"} only in the vault`;
      throw usageError(`${which} and would be lost. amux vault restore --all puts them back; --yes deletes them.`);
    }
    if (isDeleted) return deleted(vault, output);
    vault.disable();
    if (output.json) return output.writeJson({ enabled: false, deleted: false });
    return output.write(
      `The vault is disabled. ${counted(sessions, "session")} stay in it; --delete removes the copies.\n`,
    );
  },
};

export default command;

async function deleted(vault: Vault, output: Output): Promise<void> {
  vault.delete();
  if (output.json) return output.writeJson({ enabled: false, deleted: true });
  return output.write(`The vault is disabled, and ${vault.directory} was deleted.\n`);
}
