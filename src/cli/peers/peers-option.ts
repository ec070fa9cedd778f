/** Apart from what it does, which is loaded when it is asked for. */
import type { OptionSpec } from "../command.ts";

export const PEERS_OPTION: OptionSpec = {
  name: "peers",
  description: "include all linked machines (amux peers); exit code 3 when one is missing",
};
