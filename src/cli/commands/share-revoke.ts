import { DaemonApi } from "../../client/daemon-api.ts";
import { ShareLinkId } from "../../protocol/share-links.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { refusalOf } from "../mux/remote.ts";

const command: Command = {
  name: "share revoke",
  description: "Ends a link at once, also for someone who is reading, and deletes what it showed.",
  arguments: [{ name: "id", description: "id of the link, as amux share list shows it" }],
  examples: [["amux share revoke 3f9a02c1", "end the link 3f9a02c1"]],
  async run({ arguments: [id = ""], output }) {
    if (!ShareLinkId.safeParse(id).success)
      throw usageError("An id of a link has eight digits and letters; see amux share list.");
    await ensureDaemon();
    await new DaemonApi(daemonClient()).revokeShareLink(id).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (output.json) await output.writeJson({ revoked: id });
    else await output.write(`${id} no longer works.\n`);
  },
};

export default command;
