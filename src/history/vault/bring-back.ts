/** Puts a session back before its agent opens it. */
import type { AgentEnv } from "../../agents/adapter.ts";
import type { SessionReference } from "../../core/diff.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { Vault } from "./vault.ts";

/**
 * For a session that only the vault has. Its files get the current time: an agent that deletes old files at its start would take
 * them again. Returns how many were written.
 */
export function bringBack(env: AgentEnv, { agent, sessionId }: SessionReference): number {
  const vault = new Vault(env);
  const session = vault.sessions().find((each) => each.agent === agent && each.sessionId === sessionId);
  const files = vault.restore(session?.files ?? [], true);
  const failed = files.find(({ state }) => state === "damaged");
  if (failed !== undefined) throw new AgentMuxError("PARSE_ERROR", failed.reason!);
  return files.filter(({ state }) => state === "restored").length;
}
