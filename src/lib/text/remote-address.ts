/** Git remote addresses, safe to display. */

/** `https://user:secret@host/x` without user and secret; the user of `git@host:x` is part of the address. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1").replace(/^[^/@]*:[^/@]*@/, "");
}
