import type { Command } from "../command.ts";
import { ADDRESS_OPTIONS, addressVariables } from "../daemon-address.ts";
import { ensureDaemon } from "../daemon-process.ts";
import { healthText, isReachable } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon start",
  description: "A running daemon is kept, unless it is older than this command: then it is replaced.",
  options: ADDRESS_OPTIONS,
  examples: [
    ["amux daemon start", "start it, or show the running one"],
    ["amux daemon start --listen 127.0.0.1:9000", "on another port"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const wanted = invocation.text("listen");
    const health = await ensureDaemon(addressVariables(invocation));
    const missing = invocation.texts("host").filter((name) => health.hosts?.includes(name.toLowerCase()) !== true);
    if (missing.length > 0)
      output.note(
        `The running daemon does not answer to ${missing.join(", ")}. amux daemon restart takes the same options.`,
      );
    if (wanted !== undefined && health.listen !== wanted && health.listen !== undefined)
      output.note(`A daemon already runs at ${health.listen}. amux daemon restart --listen ${wanted} moves it.`);
    if (output.json) await output.writeJson(health);
    else await output.write(healthText(health));
    return isReachable(health) ? 0 : 1;
  },
};

export default command;
