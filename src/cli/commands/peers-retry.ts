import { DaemonApi } from "../../client/daemon-api.ts";
import { PeerName } from "../../protocol/peers.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { refusalOf } from "../mux/remote.ts";
import { firstAnswer } from "./peers-add.ts";

const command: Command = {
  name: "peers retry",
  description: "amux retries by itself after at most 30 seconds. This tries now.",
  arguments: [{ name: "name", description: "name of the machine" }],
  examples: [["amux peers retry box", "exit code 0 if it can be reached, 1 if not"]],
  async run({ arguments: [name = ""], output }) {
    if (!PeerName.safeParse(name).success) throw usageError("Not a valid peer name.");
    await ensureDaemon();
    const api = new DaemonApi(daemonClient());
    await api.retryPeer(name).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const status = await firstAnswer(api, name, () => output.progress(`Reaching ${name} …`));
    if (output.json) await output.writeJson(status);
    else await output.write(`${name} is ${status.state}.${status.error === undefined ? "" : ` ${status.error}`}\n`);
    return status.state === "connected" ? 0 : 1;
  },
};

export default command;
