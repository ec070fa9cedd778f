import { extname } from "node:path";
import { usageError, type Command } from "../command.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { screenHtml } from "../mux/screen-html.ts";
import { chooseRemote, isRemoteRef } from "../mux/remote.ts";
import { screenOf, screenOfRemote } from "../mux/screen-of.ts";
import { writeTo } from "../write-to.ts";
import type { Screen } from "../../screen/screen.ts";

const FORMATS = ["text", "ansi", "html", "png"] as const;

const command: Command = {
  name: "capture",
  description:
    "Writes the current screen, or the last one of an ended session. --lines adds lines from the scrollback. ansi keeps colours, html is a self-contained page, png needs Chromium or Chrome on this machine.",
  arguments: [ANY_SESSION_ARGUMENT],
  options: [
    { name: "format", value: "kind", description: "how to write it (default text)", choices: FORMATS },
    {
      name: "output",
      short: "o",
      value: "file",
      description: "write this file; .ansi, .html and .png name the format",
    },
    { name: "lines", short: "n", value: "n", description: "add this many lines of scrollback" },
  ],
  examples: [
    ["amux capture claude", "the screen as text"],
    ["amux capture claude --format html > screen.html", "with its colours"],
    ["amux capture claude -o screen.png", "as a picture"],
  ],
  async run(invocation) {
    const lines = invocation.count("lines") ?? 0;
    const { output } = invocation;
    const file = invocation.text("output");
    const format = invocation.text("format") ?? formatOf(file);
    if (file !== undefined && output.json) throw usageError("--json and --output exclude each other.");
    if (format === "png" && file === undefined && output.isTerminal)
      throw usageError("A terminal cannot show PNG data. Name a file: -o screen.png");
    const { screen, title } = await shownBy(invocation.arguments[0] ?? "", lines);
    if (output.json && format === "text") return output.writeJson(screen.text(lines + screen.rows));
    const bytes = Buffer.from(await written(screen, format, lines, title));
    return file === undefined ? output.writeBytes(bytes) : writeTo(file, bytes);
  },
};

export default command;

async function written(screen: Screen, format: string, lines: number, title: string): Promise<string | Uint8Array> {
  if (format === "text") return joined(screen.text(lines + screen.rows));
  const painted = withoutEmptyEnd(screen.paintedLines(lines));
  if (format === "ansi") return joined(painted);
  const page = screenHtml(painted, title);
  if (format === "html") return page;
  const { picture } = await import("../mux/screen-png.ts");
  return picture(page, { cols: screen.cols, rows: Math.max(painted.length, screen.rows) });
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function formatOf(file = ""): string {
  const ending = extname(file).slice(1).toLowerCase();
  return FORMATS.find((name) => name === ending) ?? "text";
}

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
