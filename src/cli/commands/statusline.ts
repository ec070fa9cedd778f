import { runStatusLine } from "../../hook/status-line.ts";
import { STATUS_LINE_FORMATS } from "../../hook/status-line-text.ts";
import type { Command, Invocation } from "../command.ts";

const command: Command = {
  name: "statusline",
  description:
    "Reads what Claude Code writes to its status line from standard input and prints the model, branch, used context, cost and usage limits. amux hooks install sets it up, together with the status line you have; amux hooks uninstall restores yours.",
  options: [
    {
      name: "format",
      value: "format",
      description: `${STATUS_LINE_FORMATS.join(", ")}; default ansi`,
      choices: STATUS_LINE_FORMATS,
    },
    { name: "with", value: "command", description: "your own status line, shown above" },
  ],
  examples: [
    ["amux statusline --format plain < input.json", "without colours"],
    ["amux statusline --format tmux < input.json", "with tmux's colours"],
  ],
  run: (invocation) => runStatusLine(words(invocation), process.env),
};

export default command;

function words(invocation: Invocation): string[] {
  const own = ["format", "with"].flatMap((name) => {
    const value = invocation.text(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  return [...own, ...(invocation.output.json ? ["--json"] : [])];
}
