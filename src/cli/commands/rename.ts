import { renameSession } from "../../client/rename-session.ts";
import { sessionName } from "../../client/session-name.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { askDaemon, chooseRemote, isRemoteRef } from "../mux/remote.ts";
import { sessionDirectories } from "../mux/session-directories.ts";

const command: Command = {
  name: "rename",
  description: "The name overrides the title. An empty name clears it.",
  arguments: [ANY_SESSION_ARGUMENT, { name: "name", description: "the new name" }],
  examples: [["amux rename sess-4k2m 'the release build'", "give it a name that is easy to find"]],
  async run({ arguments: [ref = "", text = ""], output }) {
    const name = sessionName(text);
    if (isRemoteRef(ref)) {
      const { id } = await chooseRemote(ref);
      await askDaemon("PUT", `/v1/sessions/${id}/title`, { title: name });
      return output.json ? output.writeJson({ id, name }) : undefined;
    }
    const { meta, alive } = chooseSession(ref);
    if (alive || !(await hasDaemonDone(meta.id, name))) await renameSession(sessionDirectories(), meta.id, name);
    if (output.json) await output.writeJson({ id: meta.id, name });
  },
};

export default command;

/** The daemon must know, or it shows an ended session's old name. */
async function hasDaemonDone(id: string, title: string): Promise<boolean> {
  try {
    await askDaemon("PUT", `/v1/sessions/${id}/title`, { title });
    return true;
  } catch (error) {
    if (error instanceof AgentMuxError) return false; // No daemon runs, or it does not know this session.
    throw error;
  }
}
