/** Remote addresses of a repository, safe to display and compare. */
import { withoutCredentials as safeAddress } from "../../lib/text/remote-address.ts";

export function withoutCredentials(remotes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(remotes).map(([name, address]) => [name, safeAddress(address)]));
}
