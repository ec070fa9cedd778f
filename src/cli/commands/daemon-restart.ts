import type { Command } from "../command.ts";
import { restartDaemon } from "../daemon-process.ts";
import { healthText } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon restart",
  summary: "Replace the running daemon; sessions go on",
  examples: [["amux daemon restart", "end it and start this version"]],
  async run({ output }) {
    const health = await restartDaemon();
    if (output.json) await output.writeJson(health);
    else await output.write(healthText(health));
  },
};

export default command;
