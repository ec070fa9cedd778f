import type { ArgumentSpec, Command } from "../command.ts";
import type { Output } from "../output.ts";
import { ANY_SESSION_ARGUMENT } from "../mux/choose.ts";
import { actOnPrompt, actOnSession, isPromptId } from "../mux/queues.ts";

export const QUEUE_ARGUMENT: ArgumentSpec = {
  ...ANY_SESSION_ARGUMENT,
  description: `a prompt's id from amux queue list, or a session for its whole queue: ${ANY_SESSION_ARGUMENT.description}`,
};

const command: Command = {
  name: "queue pause",
  arguments: [QUEUE_ARGUMENT],
  examples: [
    ["amux queue pause shop", "send nothing more to this session"],
    ["amux queue pause q-k3f9x2", "only this prompt"],
  ],
  run: ({ arguments: [what = ""], output }) => setPaused(what, true, output),
};

export default command;

export async function setPaused(what: string, paused: boolean, output: Output): Promise<void> {
  const change = isPromptId(what) && !paused ? { paused, again: true } : { paused };
  const changed = isPromptId(what)
    ? await actOnPrompt(what, { kind: "change", change }, output)
    : await actOnSession(what, { kind: "change", change }, output);
  if (output.json) await output.writeJson(changed);
}
