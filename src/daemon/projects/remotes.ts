/** Addresses of a repository's remotes, fit to be shown and compared. */

/** `https://user:secret@host/x` without user and secret; the user of `git@host:x` is part of the address. */
export function withoutCredentials(remotes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(remotes).map(([name, address]) => [name, withoutUser(address)]));
}

function withoutUser(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1").replace(/^[^/@]*:[^/@]*@/, "");
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
