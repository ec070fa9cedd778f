import type { RunOptions } from "../../core/run-options.ts";
import { createClient } from "../../index.ts";
import { optional } from "../../lib/optional.ts";
import { oneLine, truncate } from "../../lib/text.ts";
import { usageError, type Command } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { startSession } from "../mux/start.ts";
import { canAsk, terminalAnswers } from "../run/ask.ts";
import { backgroundRun } from "../run/background-run.ts";
import { runAgentInTerminal, runCommand } from "../run/in-terminal.ts";
import { promptOf, splitArguments } from "../run/prompt.ts";
import { RUN_OPTIONS, runOptionsOf } from "../run/run-options.ts";
import { showAnswer, showJson, showText } from "../run/show-events.ts";
import { endOnSignals } from "../run/signals.ts";
import { isSessionsProgram, tellSession } from "../run/tell-session.ts";

const INCOMPLETE = 1;
/** A background run is called by what it is to do. */
const MAX_TITLE = 80;

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
    ["amux run claude -d 'update the docs'", "in the background; amux attach shows it, amux ls lists it"],
    ["amux run claude 'fix the failing test' --tag ci", "run it here, tag the session"],
    ["git diff | amux run codex -q", "the prompt from a pipe, only the answer"],
    ["amux run pi --session 01a1dca2 'and now the docs'", "go on with a session"],
    ["amux run gemini --file task.md --json | jq -r 'select(.type == \"run_result\").cost'", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const isInSession = isSessionsProgram();
    const { agent, argument } = splitArguments(invocation.arguments, invocation.text("agent"));
    if (invocation.rest !== undefined) return runCommand(invocation, agent, invocation.rest);
    const client = createClient();
    const prompt = await promptOf(invocation, argument);
    if (prompt === undefined) return runAgentInTerminal(invocation, client, agent);
    const options = await runOptionsOf(invocation, client, agent, prompt);
    if (invocation.flag("detach")) return runInBackground(options);
    const isQuiet = invocation.flag("quiet");
    const isAsked = invocation.flag("ask");
    const mayAnswer = !output.json && !isQuiet && options.approvalMode === undefined && canAsk();
    if (isAsked && !mayAnswer) throw usageError("--ask needs a terminal, and neither --json, -q, --yolo nor --deny.");
    const canAnswer = mayAnswer && (isAsked || (await asksByItself(agent)));
    const run = client.run({ ...options, ...(canAnswer ? terminalAnswers : { nonInteractive: true }) });
    const release = endOnSignals(run, output);
    const told = isInSession ? tellSession(run) : undefined;
    try {
      const show = output.json ? showJson : isQuiet ? showAnswer : showText;
      const { error, exitReason } = await show(run, output);
      await told?.();
      if (error && !output.json) output.note(`amux: ${error.message}`);
      if (error) return exitCodeOf(error.code);
      return exitReason === "completed" ? 0 : INCOMPLETE;
    } finally {
      release();
    }

    async function asksByItself(name: string | undefined): Promise<boolean> {
      const support = name === undefined ? undefined : (await client.adapters.get(name)).run;
      return support?.approvals === true && support.gated !== true;
    }

    /** What is wrong with it is said here, and not to nobody in the background. */
    async function runInBackground(checked: RunOptions): Promise<number> {
      const { agent: kind, cwd } = await client.check(checked);
      const { command: program, env } = backgroundRun(invocation, kind, checked);
      const titles = {
        ...optional("name", invocation.text("name")),
        adapter_title: truncate(oneLine(String(checked.prompt)), MAX_TITLE),
      };
      return startSession({ command: program, kind, cwd, env, ...titles }, { detached: true }, output);
    }
  },
};

export default command;
