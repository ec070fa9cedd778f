import { DaemonApi } from "../../client/daemon-api.ts";
import type { PeerStatus } from "../../protocol/peers.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { table } from "../format/table.ts";

const command: Command = {
  name: "peers list",
  summary: "The machines this one is linked to",
  examples: [["amux peers list --json | jq -r '.[].name'", "their names, for a script"]],
  async run({ output }) {
    await ensureDaemon();
    const peers = await new DaemonApi(daemonClient()).peers();
    if (output.json) return output.writeJson(peers);
    if (peers.length === 0) return output.write("No other machine is linked. See amux peers add --help.\n");
    const lines = table<PeerStatus>(
      peers,
      [
        { title: "NAME", value: ({ name }) => name },
        { title: "STATE", value: ({ state }) => state },
        { title: "RUNNING", value: ({ sessions }) => String(sessions.alive), align: "right" },
        { title: "ADDRESS", value: ({ url }) => url, min: 12 },
      ],
      output.width,
      (text) => output.style("dim", text),
    );
    await output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;
