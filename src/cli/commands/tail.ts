import { askRunner } from "../../client/runner-http.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { withoutControls } from "../../lib/text.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { storedExit } from "../mux/exit-code.ts";
import { sessionPlaces } from "../mux/places.ts";

const DEFAULT_LINES = 50;

const command: Command = {
  name: "tail",
  summary: "The last lines of a session's terminal",
  description:
    "Prints the last lines as text, of a dead session too. With -f what the program writes follows, as text; a program that paints the whole screen is better watched with amux attach --read-only.",
  arguments: [SESSION_ARGUMENT],
  options: [
    { name: "lines", short: "n", value: "n", description: `how many (default ${DEFAULT_LINES})` },
    { name: "follow", short: "f", description: "go on until the program ends; its exit code is this command's" },
    { name: "raw", description: "with -f: the bytes as the program wrote them, colours and all" },
  ],
  examples: [
    ["amux tail build -n 20", "how far is it"],
    ["amux tail build -f | grep -i error", "watch it without attaching"],
  ],
  async run(invocation) {
    const session = chooseSession(invocation.arguments[0] ?? "");
    const { lines, seq } = await lastLines(session, invocation.count("lines") ?? DEFAULT_LINES);
    const { output } = invocation;
    const follows = invocation.flag("follow");
    if (output.json && follows) throw usageError("--json and --follow exclude each other.");
    if (output.json) return output.writeJson(lines);
    await output.write(lines.map((line) => `${withoutControls(line)}\n`));
    if (!follows) return undefined;
    const { socket, meta } = sessionFiles(sessionPlaces(), session.meta.id);
    if (!session.alive) return storedExit(meta);
    const [{ copyOutput }, { PlainText }] = await Promise.all([
      import("../attach/watch-output.ts"),
      import("../attach/plain-text.ts"),
    ]);
    const plain = new PlainText();
    const transform = (data: Buffer): Buffer | string => (invocation.flag("raw") ? data : plain.push(data));
    return (await copyOutput(socket, { since: seq, transform })) ?? storedExit(meta);
  },
};

export default command;

/** And the offset in the program's output after which there is more to come. */
async function lastLines(session: KnownSession, count: number): Promise<{ lines: string[]; seq: number }> {
  if (!session.alive) {
    const { screenOf } = await import("../mux/screen-of.ts");
    return { lines: (await screenOf(session, count)).text(count), seq: 0 };
  }
  const { socket } = sessionFiles(sessionPlaces(), session.meta.id);
  const { body, headers } = await askRunner(socket, { method: "GET", path: `/text?lines=${count}` });
  return { lines: body.toString("utf8").split("\n").slice(0, -1), seq: Number(headers["x-amux-seq"]) };
}
