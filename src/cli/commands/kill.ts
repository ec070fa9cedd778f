import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { shimClient } from "../mux/places.ts";

const command: Command = {
  name: "kill",
  summary: "End a session's programs",
  description: "Hangs up, and after two seconds kills. Answers when all is gone; what was on the screen is kept.",
  arguments: [SESSION_ARGUMENT],
  examples: [["amux kill build", "end it"]],
  async run({ arguments: [ref = ""], output }) {
    const { meta } = chooseSession(ref);
    await (await shimClient()).kill(meta.id);
    if (output.json) await output.writeJson({ id: meta.id });
  },
};

export default command;
