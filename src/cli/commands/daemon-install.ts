import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { install, serviceFor } from "../daemon-service.ts";

const command: Command = {
  name: "daemon install",
  description:
    "Writes a systemd user unit (Linux) or a launch agent (macOS) and prints how to enable it. Optional: commands start the daemon when they need it.",
  options: [{ name: "print", description: "show the file and write nothing" }],
  examples: [
    ["amux daemon install", "write it, then run the command it prints"],
    ["amux daemon install --print", "only show what would be written"],
  ],
  async run(invocation) {
    const service = serviceFor(processEnv(), process.execPath, process.argv[1]!);
    const { output } = invocation;
    if (invocation.flag("print")) return output.write(service.content);
    install(service);
    if (output.json) return output.writeJson({ path: service.path, enable: service.enable });
    return output.write(`Wrote ${service.path}\nEnable it with:\n  ${service.enable}\n`);
  },
};

export default command;
