/** Finds sessions in the vault. */
import { AgentMuxError } from "../../core/errors.ts";
import type { Vault, VaultSession } from "../../history/vault/vault.ts";
import { localSessions } from "../local-sessions.ts";
import { resolveReference } from "../session-reference.ts";

export async function sessionInVault(vault: Vault, args: readonly string[]): Promise<VaultSession> {
  const { agent, sessionId } = await resolveReference(localSessions(), args);
  const found = vault.sessions().find((session) => session.agent === agent && session.sessionId === sessionId);
  if (found !== undefined) return found;
  throw new AgentMuxError("SESSION_NOT_FOUND", `${agent}:${sessionId} is not in the vault. See amux vault list.`);
}
