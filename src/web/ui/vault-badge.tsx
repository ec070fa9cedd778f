/** Marks a session whose own file is gone. */
import type { JSX } from "preact";

export function VaultBadge({ isShown }: { isShown: boolean }): JSX.Element | null {
  if (!isShown) return null;
  return (
    <span class="badge" title="Its own file is gone. amux reads its copy in the vault.">
      vault
    </span>
  );
}
