import { resolve } from "node:path";
import { createClient } from "../../index.ts";
import type { Command } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { canAsk, terminalAnswers } from "../run/ask.ts";
import { runInTerminal } from "../run/in-terminal.ts";
import { promptOf, splitArguments } from "../run/prompt.ts";
import { environmentOf, RUN_OPTIONS, runOptionsOf } from "../run/run-options.ts";
import { showAnswer, showJson, showText } from "../run/show-events.ts";
import { endOnSignals } from "../run/signals.ts";

const INCOMPLETE = 1;

const command: Command = {
  name: "run",
  summary: "Run an agent on a prompt, or anything in a session that stays",
  description:
    "With a prompt: starts an agent without its terminal and shows what it writes; what it does goes to standard error. --json prints every event as a line of JSON (without what deltas add up to), the last one being run_result. Without a prompt, or with a command after --: opens a session in a terminal that outlives this one, and attaches to it (Ctrl-b d detaches).",
  arguments: [
    {
      name: "agent",
      description: "the agent; a profile or defaultAgent can name it",
      optional: true,
      completes: "agents",
    },
    { name: "prompt", description: "what to do; - reads it from standard input", optional: true },
  ],
  rest: { name: "command", description: "any command, in a session of its own" },
  options: RUN_OPTIONS,
  examples: [
    ["amux run -- npm test", "a session that survives this terminal; the exit code is the command's"],
    ["amux run -d --name build -- make all", "the same in the background"],
    ["amux run claude", "the agent itself, in such a session"],
    ["amux run claude 'fix the failing test' --tag ci", "run it here, tag the session"],
    ["git diff | amux run codex -q", "the prompt from a pipe, only the answer"],
    ["amux run pi --session 01a1dca2 'and now the docs'", "go on with a session"],
    ["amux run gemini --file task.md --json | jq -r 'select(.type == \"run_result\").cost'", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const { agent, argument } = splitArguments(invocation.arguments);
    const prompt = invocation.rest === undefined ? await promptOf(invocation, argument) : undefined;
    const detached = invocation.flag("detach");
    if (prompt === undefined || detached) {
      const cwd = resolve(invocation.text("cwd") ?? ".");
      const env = environmentOf(invocation.texts("env"));
      const name = invocation.text("name");
      return runInTerminal({ command: invocation.rest, agent, prompt, cwd, name, env, detached }, output);
    }
    const client = createClient();
    const options = await runOptionsOf(invocation, client, agent, prompt);
    const isQuiet = invocation.flag("quiet");
    const canAnswer = !output.json && !isQuiet && options.approvalMode === undefined && canAsk() && (await asks(agent));
    const run = client.run({ ...options, ...(canAnswer ? terminalAnswers : { nonInteractive: true }) });
    const release = endOnSignals(run, output);
    try {
      const show = output.json ? showJson : isQuiet ? showAnswer : showText;
      const { error, exitReason } = await show(run, output);
      if (error && !output.json) output.note(`amux: ${error.message}`);
      if (error) return exitCodeOf(error.code);
      return exitReason === "completed" ? 0 : INCOMPLETE;
    } finally {
      release();
    }

    async function asks(name: string | undefined): Promise<boolean> {
      return name !== undefined && (await client.adapters.get(name)).run?.approvals === true;
    }
  },
};

export default command;
