/** Addresses of a repository's remotes, fit to be shown and compared. */
import { withoutCredentials as safeAddress } from "../../lib/remote-address.ts";

export function withoutCredentials(remotes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(remotes).map(([name, address]) => [name, safeAddress(address)]));
}

/** The same for every way to write the same remote: `git@host:a/b.git`, `ssh://host/a/b`, `https://host/a/b/`. */
export function normalizedRemote(address: string): string {
  return address
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/]*@/, "")
    .replace(/^([^/:]+):(?!\d+\/)/, "$1/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .toLowerCase();
}
