import { existsSync } from "node:fs";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { serviceFor, uninstall } from "../daemon-service.ts";

const command: Command = {
  name: "daemon uninstall",
  description: "Removes the unit or launch agent. A running daemon keeps running until it is stopped.",
  examples: [["amux daemon uninstall", "remove the file, and say how to disable the service"]],
  async run({ output }) {
    const service = serviceFor(processEnv(), process.execPath, process.argv[1]!);
    const removed = existsSync(service.path);
    uninstall(service);
    if (output.json) return output.writeJson({ removed, path: service.path, disable: service.disable });
    if (!removed) return output.write("The daemon is not installed as a service.\n");
    return output.write(`Removed ${service.path}\nIf it was enabled:\n  ${service.disable}\n`);
  },
};

export default command;
