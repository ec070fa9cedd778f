import { NotifyApi } from "../../client/notify-api.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Channel } from "../../protocol/notify.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { age } from "../format/figures.ts";
import { table } from "../format/table.ts";

const command: Command = {
  name: "notify list",
  description:
    "Lists where notifications go besides your own programs (attention.json), and how the last message of each went.",
  examples: [["amux notify list", "all channels, with the last failure"]],
  async run({ output }) {
    await ensureDaemon();
    const channels = await new NotifyApi(daemonClient()).channels();
    if (output.json) return output.writeJson(channels);
    if (channels.length === 0)
      return output.write("No channel. See amux notify add --help, or Settings in the page for push to this device.\n");
    const lines = table<Channel>(
      channels,
      [
        { title: "CHANNEL", value: ({ id }) => id },
        { title: "SERVICE", value: ({ service }) => service },
        { title: "DEVICE", value: ({ name }) => (name === undefined ? "–" : oneLine(name)) },
        { title: "SENDS", value: ({ text }) => (text ? "questions" : "names") },
        { title: "STATE", value: stateOf, min: 12 },
      ],
      output.width,
      (text) => output.style("dim", text),
    );
    await output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;

export function stateOf({ error, failed_at, sent_at }: Channel): string {
  if (error !== undefined) return `failed ${ago(failed_at)}: ${oneLine(error)}`;
  return sent_at === undefined ? "nothing sent yet" : `sent ${ago(sent_at)}`;
}

function ago(time: string | undefined): string {
  return time === undefined ? "" : `${age(new Date(time))} ago`;
}
