import { AgentMuxError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { localSessions } from "../local-sessions.ts";

const command: Command = {
  name: "index clear",
  description: "Removes the index. Nothing is lost: amux rebuilds it from the agents' files.",
  examples: [["amux index clear", "delete the index"]],
  async run({ output }) {
    if (!(await localSessions().sessions.clearIndex())) {
      throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is building the index; try again when it is done.");
    }
    if (output.json) return output.writeJson({ cleared: true });
    await output.write("Removed the index.\n");
  },
};

export default command;
