import type { Command } from "../command.ts";
import { QUEUE_ARGUMENT, setPaused } from "./queue-pause.ts";

const command: Command = {
  name: "queue resume",
  description:
    "Continues a paused prompt or queue. A held prompt is queued again: look first whether it arrived, since it may then be sent twice.",
  arguments: [QUEUE_ARGUMENT],
  examples: [
    ["amux queue resume shop", "the session's whole queue"],
    ["amux queue resume q-k3f9x2", "a paused or held prompt"],
  ],
  run: ({ arguments: [what = ""], output }) => setPaused(what, false, output),
};

export default command;
