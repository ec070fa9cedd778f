import { usageError, type Command } from "../command.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { screenHtml } from "../mux/screen-html.ts";
import { chooseRemote, isRemoteRef } from "../mux/remote.ts";
import { screenOf, screenOfRemote } from "../mux/screen-of.ts";
import type { Screen } from "../../screen/screen.ts";

const FORMATS = ["text", "ansi", "html", "png"] as const;

const command: Command = {
  name: "capture",
  description:
    "Writes the current screen, or the last one of an ended session. --lines adds lines from the scrollback. ansi keeps colours, html is a self-contained page, png needs Chromium or Chrome on this machine.",
  arguments: [ANY_SESSION_ARGUMENT],
  options: [
    { name: "format", value: "kind", description: "how to write it (default text)", choices: FORMATS },
    { name: "lines", short: "n", value: "n", description: "add this many lines of scrollback" },
  ],
  examples: [
    ["amux capture claude", "the screen as text"],
    ["amux capture claude --format html > screen.html", "with its colours"],
    ["amux capture claude --format png > screen.png", "as a picture"],
  ],
  async run(invocation) {
    const lines = invocation.count("lines") ?? 0;
    const { output } = invocation;
    const format = invocation.text("format") ?? "text";
    if (format === "png" && output.isTerminal)
      throw usageError("A terminal cannot show PNG data. Redirect it: > screen.png");
    const { screen, title } = await shownBy(invocation.arguments[0] ?? "", lines);
    if (format === "text") {
      const text = screen.text(lines + screen.rows);
      return output.json ? output.writeJson(text) : output.write(text.map((line) => `${line}\n`));
    }
    const painted = withoutEmptyEnd(screen.paintedLines(lines));
    if (format === "ansi") return output.write(painted.map((line) => `${line}\n`));
    const page = screenHtml(painted, title);
    if (format === "html") return output.write(page);
    const { picture } = await import("../mux/screen-png.ts");
    return output.writeBytes(await picture(page, { cols: screen.cols, rows: Math.max(painted.length, screen.rows) }));
  },
};

export default command;

async function shownBy(ref: string, lines: number): Promise<{ screen: Screen; title: string }> {
  if (isRemoteRef(ref)) {
    const row = await chooseRemote(ref);
    return { screen: await screenOfRemote(row, lines), title: row.title };
  }
  const session = chooseSession(ref);
  return { screen: await screenOf(session, lines), title: session.meta.title };
}

function withoutEmptyEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}
