import { AgentMuxError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { localSessions } from "../local-sessions.ts";

const command: Command = {
  name: "index clear",
  summary: "Remove the search index",
  description: "Removes the search index. Nothing is lost: it is made again from the agents' own files.",
  examples: [["amux index clear", "start over"]],
  async run({ output }) {
    if (!(await localSessions().sessions.clearIndex())) {
      throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is building the index; try again when it is done.");
    }
    if (output.json) return output.writeJson({ cleared: true });
    await output.write("The index is removed.\n");
  },
};

export default command;
