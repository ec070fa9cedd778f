/** Declaration of `amux run`. Separate from its code, which depends on the form used. */
import type { Command } from "../command.ts";
import { RUN_OPTIONS } from "./run-options.ts";

export const RUN: Omit<Command, "run"> = {
  name: "run",
  description:
    "With a prompt: runs an agent without a terminal and prints its answer. Its actions go to standard error. --json prints one event per line; the last one is run_result.\nWithout a prompt, or with a command after --: opens a session that survives this terminal and attaches to it. Ctrl-b d detaches.\nA command after -- reads standard input when that is a pipe or a file. Written to a pipe, its output is complete: the command waits for a slow reader. In a loop over lines, give it < /dev/null. In the background (-d) and on another machine it reads from its terminal only: use amux send.",
  arguments: [
    {
      name: "agent",
      description: "the agent (default: from the profile or defaultAgent)",
      optional: true,
      completes: "agents",
    },
    { name: "prompt", description: "what to do; - reads it from standard input", optional: true },
  ],
  rest: { name: "command", description: "any command, in a persistent session" },
  options: RUN_OPTIONS,
  examples: [
    ["amux run -- npm test", "a session that survives this terminal; the exit code is the command's"],
    ["amux run -d --name build -- make all", "the same in the background; it reads no standard input"],
    ["pg_dump shop | amux run -- psql copy", "input from a pipe or a file, output in a terminal"],
    ["amux run --record -- npm test", "with a recording, which amux cast writes and the page plays"],
    ["amux run claude", "the agent's own interface, in a session"],
    ["amux run claude -d 'update the docs'", "in the background; amux attach shows it, amux ls lists it"],
    ["amux run --on box --cwd '~/shop' claude", "the agent on another machine, in this terminal"],
    ["amux run --on box -d -- make all", "a command there, in the background"],
    ["amux run claude 'fix the failing test' --tag ci", "run it here, tag the session"],
    ["git diff | amux run codex -q", "the prompt from a pipe, only the answer"],
    ["amux run pi --session 01a1dca2 'and now the docs'", "resume a session"],
    ["amux run gemini --file task.md --json | jq -r 'select(.type == \"run_result\").cost'", "for a script"],
  ],
};
