import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { screenHtml } from "../mux/screen-html.ts";
import { recordedOutput, screenOf } from "../mux/screen-of.ts";

const FORMATS = ["text", "ansi", "html"] as const;

const command: Command = {
  name: "capture",
  summary: "A session's screen as text, ANSI or HTML",
  description: "Writes what is on the screen, of a dead session what was last on it. --lines adds lines from above.",
  arguments: [SESSION_ARGUMENT],
  options: [
    { name: "format", value: "kind", description: "how to write it (default text)", choices: FORMATS },
    { name: "lines", short: "n", value: "n", description: "lines from above the screen too" },
  ],
  examples: [
    ["amux capture claude", "the screen as text"],
    ["amux capture claude --format html > screen.html", "with its colours"],
  ],
  async run(invocation) {
    const session = chooseSession(invocation.arguments[0] ?? "");
    const lines = invocation.count("lines") ?? 0;
    const { output } = invocation;
    const format = invocation.text("format") ?? "text";
    if (format === "ansi") return output.write(`${(await recordedOutput(session, lines)).output.toString("utf8")}\n`);
    const screen = await screenOf(session, lines);
    if (format === "html") return output.write(screenHtml(screen, lines, session.meta.title));
    const text = screen.text(lines + screen.rows);
    return output.json ? output.writeJson(text) : output.write(text.map((line) => `${line}\n`));
  },
};

export default command;
