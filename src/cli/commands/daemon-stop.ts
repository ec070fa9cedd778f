import type { Command } from "../command.ts";
import { stopDaemon } from "../daemon-process.ts";

const command: Command = {
  name: "daemon stop",
  summary: "End the daemon; sessions go on",
  examples: [["amux daemon stop", "end it"]],
  async run({ output }) {
    const stopped = await stopDaemon();
    if (output.json) await output.writeJson({ stopped });
    else await output.write(stopped ? "The daemon has ended. Sessions go on.\n" : "The daemon was not running.\n");
  },
};

export default command;
