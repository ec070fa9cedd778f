import { rmSync } from "node:fs";
import type { Command } from "../command.ts";
import { chooseSessions, SESSION_ARGUMENTS } from "../mux/choose.ts";
import { shimClient } from "../mux/places.ts";
import { actOnRemote, isRemoteRef } from "../mux/remote.ts";

const command: Command = {
  name: "dismiss",
  summary: "End sessions and forget them",
  description: "Ends each session that runs and removes what amux kept of it. An agent's own conversation stays.",
  arguments: [SESSION_ARGUMENTS],
  examples: [["amux dismiss sess-4k2m", "no longer in the list"]],
  async run({ arguments: refs, output }) {
    const sessions = chooseSessions(refs.filter((ref) => !isRemoteRef(ref)));
    const elsewhere = await actOnRemote(refs.filter(isRemoteRef), "dismiss");
    const client = await shimClient();
    await Promise.all(
      sessions.map(async ({ meta }) => {
        await client.kill(meta.id);
        await client.ended(meta.id);
        rmSync(client.files(meta.id).directory, { recursive: true, force: true });
      }),
    );
    if (output.json) await output.writeJson([...sessions.map(({ meta }) => ({ id: meta.id })), ...elsewhere]);
  },
};

export default command;
