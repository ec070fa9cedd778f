import { askRunner } from "../../client/runner-http.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { withoutControls } from "../../lib/text.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { sessionPlaces } from "../mux/places.ts";

const DEFAULT_LINES = 50;

const command: Command = {
  name: "tail",
  summary: "The last lines of a session's terminal",
  description:
    "Prints the last lines as text, of a dead session too. With -f the program's output follows as it comes.",
  arguments: [SESSION_ARGUMENT],
  options: [
    { name: "lines", short: "n", value: "n", description: `how many (default ${DEFAULT_LINES})` },
    { name: "follow", short: "f", description: "go on until the program ends" },
  ],
  examples: [
    ["amux tail build -n 20", "how far is it"],
    ["amux tail build -f", "watch it without attaching"],
  ],
  async run(invocation) {
    const session = chooseSession(invocation.arguments[0] ?? "");
    const lines = await lastLines(session, invocation.count("lines") ?? DEFAULT_LINES);
    const { output } = invocation;
    if (output.json) return output.writeJson(lines);
    await output.write(lines.map((line) => `${withoutControls(line)}\n`));
    if (!invocation.flag("follow") || !session.alive) return undefined;
    const { followOutput } = await import("../attach/watch-output.ts");
    return followOutput(sessionFiles(sessionPlaces(), session.meta.id).socket);
  },
};

export default command;

async function lastLines(session: KnownSession, count: number): Promise<string[]> {
  if (!session.alive) {
    const { screenOf } = await import("../mux/screen-of.ts");
    return (await screenOf(session, count)).text(count);
  }
  const { socket } = sessionFiles(sessionPlaces(), session.meta.id);
  const { body } = await askRunner(socket, { method: "GET", path: `/text?lines=${count}` });
  return body.toString("utf8").split("\n").slice(0, -1);
}
