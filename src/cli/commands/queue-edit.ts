import { optional } from "../../lib/values/optional.ts";
import { usageError, type ArgumentSpec, type Command } from "../command.ts";
import { actOnPrompt } from "../mux/queues.ts";
import { promptText, WHEN_OPTION } from "./queue.ts";

export const PROMPT_ARGUMENT: ArgumentSpec = { name: "prompt", description: "id of the prompt, from amux queue list" };

const command: Command = {
  name: "queue edit",
  description: "Changes the text or the time of a queued prompt. A held prompt with a new text is queued again.",
  arguments: [PROMPT_ARGUMENT, { name: "text", description: "the new text", optional: true, mayBeginWithDash: true }],
  options: [WHEN_OPTION],
  examples: [
    ["amux queue edit q-k3f9x2 'update the changelog and the README'", "another text"],
    ["amux queue edit q-k3f9x2 --when 'tomorrow 9:00'", "another time"],
  ],
  async run(invocation) {
    const [item = "", text] = invocation.arguments;
    const when = invocation.text("when");
    if (text === undefined && when === undefined) throw usageError("Give a new text, a new --when, or both.");
    const change = {
      ...optional("text", text === undefined ? undefined : promptText(text)),
      ...optional("when", when),
    };
    const prompt = await actOnPrompt(item, { kind: "change", change }, invocation.output);
    if (invocation.output.json) await invocation.output.writeJson(prompt);
  },
};

export default command;
