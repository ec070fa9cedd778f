import type { Command } from "../command.ts";
import { ADDRESS_OPTIONS, addressVariables } from "../daemon-address.ts";
import { restartDaemon } from "../daemon-process.ts";
import { healthText } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon restart",
  summary: "Replace the running daemon; sessions go on",
  description: "It listens where the one before it did, unless --listen or AMUX_LISTEN says otherwise.",
  options: ADDRESS_OPTIONS,
  examples: [
    ["amux daemon restart", "end it and start this version"],
    ["amux daemon restart --listen 127.0.0.1:9000", "on another port"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const health = await restartDaemon(addressVariables(invocation));
    if (output.json) await output.writeJson(health);
    else await output.write(healthText(health));
  },
};

export default command;
