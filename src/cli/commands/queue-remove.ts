import type { Command } from "../command.ts";
import { actOnPrompt } from "../mux/queues.ts";
import { PROMPT_ARGUMENT } from "./queue-edit.ts";

const command: Command = {
  name: "queue remove",
  arguments: [{ ...PROMPT_ARGUMENT, several: true }],
  examples: [["amux queue remove q-k3f9x2", "do not send it"]],
  async run({ arguments: items, output }) {
    const removed = [];
    for (const item of items) removed.push(await actOnPrompt(item, { kind: "remove" }, output));
    if (output.json) await output.writeJson(removed);
  },
};

export default command;
