/** Addresses of a repository's remotes, fit to be shown and compared. */
import { withoutCredentials as safeAddress } from "../../lib/text/remote-address.ts";

export function withoutCredentials(remotes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(remotes).map(([name, address]) => [name, safeAddress(address)]));
}
