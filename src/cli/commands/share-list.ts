import { DaemonApi } from "../../client/daemon-api.ts";
import type { ShareLink } from "../../protocol/share-links.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { age, duration } from "../format/figures.ts";
import { table } from "../format/table.ts";

const command: Command = {
  name: "share list",
  description: "Lists the links that still work. The links themselves are not kept, so they cannot be shown again.",
  examples: [["amux share list --json | jq -r '.[].id'", "their ids, for a script"]],
  async run({ output }) {
    await ensureDaemon();
    const links = await new DaemonApi(daemonClient()).shareLinks();
    if (output.json) return output.writeJson(links);
    if (links.length === 0) return output.note("Nothing is shared. See amux share create --help.");
    const lines = table<ShareLink>(
      links,
      [
        { title: "ID", value: ({ id }) => id },
        { title: "MADE", value: ({ created_at }) => age(new Date(created_at)) },
        { title: "LEFT", value: ({ expires_at }) => duration(Math.max(0, Date.parse(expires_at) - Date.now())) },
        { title: "TAKEN OUT", value: ({ redacted }) => String(redacted), align: "right" },
        { title: "SESSION", value: ({ session }) => session, min: 12 },
        { title: "TITLE", value: ({ title }) => title, min: 12 },
      ],
      output.width,
      (text) => output.style("dim", text),
    );
    await output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;
