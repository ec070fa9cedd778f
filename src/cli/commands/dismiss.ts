import { rmSync } from "node:fs";
import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { shimClient } from "../mux/places.ts";

const command: Command = {
  name: "dismiss",
  summary: "End a session and forget it",
  description: "Ends the session if it runs and removes what amux kept of it. An agent's own conversation stays.",
  arguments: [SESSION_ARGUMENT],
  examples: [["amux dismiss sess-4k2m", "no longer in the list"]],
  async run({ arguments: [ref = ""], output }) {
    const { meta } = chooseSession(ref);
    const client = await shimClient();
    await client.kill(meta.id);
    await client.ended(meta.id);
    rmSync(client.files(meta.id).directory, { recursive: true, force: true });
    if (output.json) await output.writeJson({ id: meta.id });
  },
};

export default command;
