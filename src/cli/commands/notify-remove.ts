import { NotifyApi } from "../../client/notify-api.ts";
import { CHANNEL_ID } from "../../protocol/notify.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { refusalOf } from "../mux/remote.ts";

const command: Command = {
  name: "notify remove",
  description: "Nothing is sent there any more; its secrets are deleted.",
  arguments: [{ name: "channel", description: "as amux notify list shows it" }],
  examples: [["amux notify remove ntfy-0123abcd", "remove one channel"]],
  async run({ arguments: [id = ""], output }) {
    if (!CHANNEL_ID.test(id)) throw usageError("Not a channel. amux notify list shows them.");
    await ensureDaemon();
    await new NotifyApi(daemonClient()).remove(id).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (output.json) await output.writeJson({ removed: id });
    else await output.write(`${id} is removed.\n`);
  },
};

export default command;
