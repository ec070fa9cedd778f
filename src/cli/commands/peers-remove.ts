import { DaemonApi } from "../../client/daemon-api.ts";
import { PeerName } from "../../protocol/peers.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { refusalOf } from "../mux/remote.ts";

const command: Command = {
  name: "peers remove",
  description: "Its sessions keep running there and are no longer shown here. Its token is deleted.",
  arguments: [{ name: "name", description: "name of the machine" }],
  examples: [["amux peers remove box", "remove the machine box"]],
  async run({ arguments: [name = ""], output }) {
    if (!PeerName.safeParse(name).success) throw usageError("Not a valid peer name.");
    await ensureDaemon();
    await new DaemonApi(daemonClient()).removePeer(name).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (output.json) await output.writeJson({ removed: name });
    else await output.write(`${name} is no longer linked.\n`);
  },
};

export default command;
