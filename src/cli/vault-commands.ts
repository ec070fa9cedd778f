/** Commands of the vault. */
import type { CommandEntry } from "./command.ts";

export const VAULT_COMMANDS: readonly CommandEntry[] = [
  {
    name: "vault enable",
    summary: "Keep copies of session files that agents delete",
    load: () => import("./commands/vault-enable.ts"),
  },
  { name: "vault disable", summary: "Stop copying", load: () => import("./commands/vault-disable.ts") },
  { name: "vault status", summary: "Show what the vault holds", load: () => import("./commands/vault-status.ts") },
  { name: "vault list", summary: "List the sessions in the vault", load: () => import("./commands/vault-list.ts") },
  {
    name: "vault sync",
    summary: "Copy what is new or changed, now",
    load: () => import("./commands/vault-sync.ts"),
  },
  {
    name: "vault restore",
    summary: "Put files of a session back where they were",
    load: () => import("./commands/vault-restore.ts"),
  },
  { name: "vault verify", summary: "Check every copy", load: () => import("./commands/vault-verify.ts") },
  {
    name: "vault remove",
    summary: "Remove sessions from the vault",
    load: () => import("./commands/vault-remove.ts"),
  },
];
