import { Vault } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { usageError, type Command } from "../command.ts";
import { SESSION_ARGUMENTS } from "../session-reference.ts";
import { sessionInVault } from "../vault/vault-sessions.ts";

const command: Command = {
  name: "vault remove",
  description:
    "Removes the copies of a session. Its own files stay as they are; if they exist, the next sync copies them again. If they are gone, the session is lost; that needs --yes.",
  arguments: SESSION_ARGUMENTS,
  options: [{ name: "yes", description: "also if the session would be lost" }],
  examples: [["amux vault remove claude 5cbe954d --yes", "forget a session that was deleted on purpose"]],
  async run(invocation) {
    const { output } = invocation;
    const vault = new Vault(processEnv());
    const session = await sessionInVault(vault, invocation.arguments);
    const { agent, sessionId, isGone } = session;
    if (isGone && !invocation.flag("yes"))
      throw usageError(`${agent}:${sessionId} is only in the vault and would be lost. --yes removes it.`);
    vault.remove([session]);
    if (output.json) return output.writeJson({ agent, sessionId, lost: isGone });
    return output.write(`${agent}:${sessionId} was removed from the vault.\n`);
  },
};

export default command;
