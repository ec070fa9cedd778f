/** Runs a sync and says what came of it. */
import { AgentRegistry } from "../../agents/registry.ts";
import type { SyncResult } from "../../history/vault/sync.ts";
import type { Vault } from "../../history/vault/vault.ts";
import { bytes, counted } from "../format/figures.ts";
import type { Output } from "../output.ts";

/** Agents write in bursts; a file that is quiet for this long is likely complete. */
const SETTLED_MS = 5 * 60_000;

export async function syncNow(vault: Vault, output: Output, onlySettled = false): Promise<SyncResult> {
  const result = await vault.sync(new AgentRegistry(), {
    quietMs: onlySettled ? SETTLED_MS : 0,
    onProgress: ({ done, total }) => output.progress(`${done}/${total} files`),
  });
  output.clearProgress();
  return result;
}

export function describedSync({ copied, copiedBytes, unchanged, changing, dropped }: SyncResult): string {
  const parts = [
    `${counted(copied, "file")} copied (${bytes(copiedBytes)})`,
    `${counted(unchanged, "file")} unchanged`,
    ...(changing > 0 ? [`${counted(changing, "file")} still being written`] : []),
    ...(dropped > 0 ? [`${counted(dropped, "session")} dropped, the oldest first, because the vault is full`] : []),
  ];
  return `${parts.join(", ")}.`;
}

export function noteFailed({ failed, tooLarge }: SyncResult, output: Output): void {
  for (const path of tooLarge)
    output.note(
      `not copied: ${path}: its session is larger than the whole vault may be (--max-size). This is said once.`,
    );
  for (const { path, reason } of failed) output.note(`not copied: ${path}: ${reason}`);
}
