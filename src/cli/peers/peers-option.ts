/** Separate from its implementation, which is loaded on demand. */
import type { OptionSpec } from "../command.ts";

export const PEERS_OPTION: OptionSpec = {
  name: "peers",
  description: "include all linked machines (amux peers); exit code 16 when one is missing",
};
