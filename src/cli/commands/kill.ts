import type { Command } from "../command.ts";
import { chooseSessions, SESSION_ARGUMENTS } from "../mux/choose.ts";
import { shimClient } from "../mux/session-directories.ts";
import { actOnRemote, isRemoteRef } from "../mux/remote.ts";
import { pauseKilled } from "../../status/queue/stored-queue.ts";

const command: Command = {
  name: "kill",
  description:
    "Sends SIGHUP, then SIGKILL after two seconds. Returns once every process has exited. The last screen is kept.",
  arguments: [SESSION_ARGUMENTS],
  examples: [
    ["amux kill build", "end it"],
    ["amux kill build logs", "end both"],
  ],
  async run({ arguments: refs, output }) {
    const sessions = chooseSessions(refs.filter((ref) => !isRemoteRef(ref)));
    const elsewhere = await actOnRemote(refs.filter(isRemoteRef), "kill");
    const client = await shimClient();
    await Promise.all(
      sessions.map(async ({ meta }) => {
        await client.kill(meta.id);
        pauseKilled(client.files(meta.id));
      }),
    );
    if (output.json) return output.writeJson([...sessions.map(({ meta }) => ({ id: meta.id })), ...elsewhere]);
    // A prefix may have matched another session than intended.
    for (const { meta } of sessions) output.note(`Ended ${meta.id} (${meta.name ?? meta.slug ?? meta.title}).`);
  },
};

export default command;
