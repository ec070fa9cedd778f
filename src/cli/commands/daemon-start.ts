import type { Command } from "../command.ts";
import { ensureDaemon } from "../daemon-process.ts";
import { healthText } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon start",
  summary: "Start the daemon in the background",
  description: "One that runs already is left as it is, unless it is older than this command: then it is replaced.",
  examples: [["amux daemon start", "start it, or show the one that runs"]],
  async run({ output }) {
    const health = await ensureDaemon();
    if (output.json) await output.writeJson(health);
    else await output.write(healthText(health));
  },
};

export default command;
