import { NotifyApi } from "../../client/notify-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";

const command: Command = {
  name: "notify test",
  description:
    "Sends a test message through one channel, or through all. Exit code 1: a service did not take it. Whether it is shown, only the device can tell.",
  arguments: [{ name: "channel", description: "as amux notify list shows it", optional: true }],
  examples: [["amux notify test", "try every channel"]],
  async run({ arguments: [id], output }) {
    await ensureDaemon();
    const api = new NotifyApi(daemonClient());
    const wanted = (await api.channels()).filter((channel) => id === undefined || channel.id === id);
    if (wanted.length === 0)
      throw new AgentMuxError(
        "CONFIG_ERROR",
        `There is no ${id === undefined ? "channel" : `channel ${oneLine(id)}`}.`,
      );
    const tried = await Promise.all(wanted.map((channel) => api.test(channel.id)));
    if (output.json) await output.writeJson(tried);
    else
      await output.write(
        tried.map(({ id: name, service, error }) =>
          error === undefined ? `${name}: ${service} took it.\n` : `${name}: ${oneLine(error)}\n`,
        ),
      );
    return tried.every(({ error }) => error === undefined) ? 0 : 1;
  },
};

export default command;
