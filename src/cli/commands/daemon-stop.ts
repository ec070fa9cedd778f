import type { Command } from "../command.ts";
import { stopDaemon } from "../daemon-process.ts";

const command: Command = {
  name: "daemon stop",
  description: "Asks the daemon to stop, and kills it if it does not answer within 10 seconds.",
  examples: [["amux daemon stop", "stop the daemon"]],
  async run({ output }) {
    const stopped = await stopDaemon();
    if (output.json) return output.writeJson({ stopped: stopped !== undefined, ...stopped });
    if (stopped === undefined) return output.write("The daemon was not running.\n");
    const how = stopped.forced ? "did not answer and was killed" : "has ended";
    await output.write(`The daemon (process ${stopped.pid}) ${how}. Sessions keep running.\n`);
  },
};

export default command;
