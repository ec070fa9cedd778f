/** Restores a session for the command that opens it in its agent. */
import type { SessionSummary } from "../../core/session.ts";
import { bringBack } from "../../history/vault/bring-back.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { counted } from "../format/figures.ts";

export function bringBackFirst(summary: SessionSummary, note: (text: string) => void = () => undefined): void {
  if (summary.inVault !== true) return;
  note(`amux: ${counted(bringBack(processEnv(), summary), "file")} restored from the vault.`);
}
