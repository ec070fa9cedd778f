import type { Command } from "../command.ts";
import { table } from "../format/table.ts";
import { knownPeers, type KnownPeer } from "../peers/known-peers.ts";

const command: Command = {
  name: "peers list",
  examples: [["amux peers list --json | jq -r '.[].name'", "their names, for a script"]],
  async run({ output }) {
    const peers = await knownPeers(output);
    if (output.json) return output.writeJson(peers);
    if (peers.length === 0) return output.write("No other machine is linked. See amux peers add --help.\n");
    const lines = table<KnownPeer>(
      peers,
      [
        { title: "NAME", value: ({ name }) => name },
        { title: "STATE", value: ({ state }) => state },
        {
          title: "RUNNING",
          value: ({ sessions }) => (sessions === undefined ? "?" : String(sessions.alive)),
          align: "right",
        },
        { title: "ADDRESS", value: ({ url }) => url, min: 12 },
      ],
      output.width,
      (text) => output.style("dim", text),
    );
    await output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;
