import type { Command } from "../command.ts";
import { ADDRESS_OPTIONS, addressVariables } from "../daemon-address.ts";
import { restartDaemon } from "../daemon-process.ts";
import { healthText, isReachable } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon restart",
  description:
    "Keeps the address and host names unless --listen, --host, AMUX_LISTEN or AMUX_HOSTS changes them. Exit code 1 when another program has the port.",
  options: ADDRESS_OPTIONS,
  examples: [
    ["amux daemon restart", "stop it and start this version"],
    ["amux daemon restart --listen 127.0.0.1:9000", "on another port"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const health = await restartDaemon(addressVariables(invocation));
    if (output.json) await output.writeJson(health);
    else await output.write(healthText(health));
    return isReachable(health) ? 0 : 1;
  },
};

export default command;
