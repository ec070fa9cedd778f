import { codeOf } from "../../lib/fs/directory.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { withoutControls } from "../../lib/text/text.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import type { Command } from "../command.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const DEFAULT_LINES = 50;

const command: Command = {
  name: "daemon log",
  description: "Prints the last lines of the log, one JSON object each, oldest first.",
  options: [{ name: "lines", short: "n", value: "number", description: `how many (default ${DEFAULT_LINES})` }],
  examples: [
    ["amux daemon log", "the latest entries"],
    ["amux daemon log -n 1000 | grep error", "look for errors"],
  ],
  async run(invocation) {
    const { log } = daemonFiles(amuxHome(processEnv()));
    const all = [`${log}.1`, log].flatMap(linesOf);
    const lines = all.slice(-(invocation.count("lines") ?? DEFAULT_LINES));
    await invocation.output.write(lines.map((line) => `${withoutControls(line)}\n`));
  },
};

export default command;

function linesOf(path: string): string[] {
  try {
    return readText(path).split("\n").slice(0, -1);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
