import type { RunOptions } from "../../core/run-options.ts";
import type { AddedWorktree } from "../../changes/worktree/add-worktree.ts";
import { createClient } from "../../index.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { usageError, type Command } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { startSession } from "../mux/start.ts";
import { canAsk, terminalAnswers } from "../run/ask.ts";
import { backgroundRun } from "../run/background-run.ts";
import { runCommand } from "../run/command-session.ts";
import { RUN } from "../run/command-spec.ts";
import { kindOfCommand, runAgentInTerminal } from "../run/in-terminal.ts";
import { promptOf, splitArguments } from "../run/prompt.ts";
import { runOptionsOf } from "../run/run-options.ts";
import { showAnswer, showJson, showText } from "../run/show-events.ts";
import { endOnSignals } from "../run/signals.ts";
import { setUpHere, worktreeFor } from "../run/worktree-for.ts";
import { isSessionsProgram, reportToSession } from "../run/report-to-session.ts";

const INCOMPLETE = 1;
/** A background run is named after its prompt. */
const MAX_TITLE = 80;

const command: Command = {
  ...RUN,
  async run(invocation) {
    const { output } = invocation;
    const peer = invocation.text("on");
    if (peer !== undefined) return (await import("../run/on-peer.ts")).runOnPeer(invocation, peer);
    const isInSession = isSessionsProgram();
    if (invocation.rest !== undefined) return runCommand(invocation, kindOfCommand(invocation.rest), startSession);
    const client = createClient();
    const profile = invocation.text("profile");
    // A missing profile is reported first: without its agent the arguments would be misread.
    const namesAgent = profile !== undefined && client.profiles.show(profile).agent !== undefined;
    const { agent, argument } = splitArguments(
      invocation.arguments,
      invocation.text("agent"),
      (word) => namesAgent && !client.adapters.list().includes(word),
    );
    const prompt = await promptOf(invocation, argument);
    if (prompt === undefined) return runAgentInTerminal(invocation, client, agent);
    const asked = await runOptionsOf(invocation, client, agent, prompt);
    const isQuiet = invocation.flag("quiet");
    const isAsked = invocation.flag("ask");
    const mayAnswer = !output.json && !isQuiet && asked.approvalMode === undefined && canAsk();
    // Before a worktree is made for it.
    if (isAsked && !mayAnswer && !invocation.flag("detach"))
      throw usageError("--ask needs a terminal and cannot be combined with --json, -q, --yolo or --deny.");
    if (invocation.flag("record") && !invocation.flag("detach"))
      throw usageError(
        "--record keeps a terminal's output. A run on a prompt has none; add -d, or leave out the prompt.",
      );
    if (invocation.text("worktree") !== undefined) await client.check(asked);
    const worktree = await worktreeFor(invocation, asked.cwd);
    const options = { ...asked, ...optional("cwd", worktree?.cwd) };
    if (invocation.flag("detach")) return runInBackground(options, worktree);
    if (worktree?.setup !== undefined) await setUpHere(worktree, output);
    const canAnswer = mayAnswer && (isAsked || (await asksByItself(agent)));
    const run = client.run({ ...options, ...(canAnswer ? terminalAnswers : { nonInteractive: true }) });
    const release = endOnSignals(run, output);
    const told = isInSession ? reportToSession(run) : undefined;
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

    /** Errors are reported here, not in the background. */
    async function runInBackground(checked: RunOptions, made: AddedWorktree | undefined): Promise<number> {
      const { agent: kind, cwd } = await client.check(checked);
      const { command: program, env } = backgroundRun(invocation, kind, checked);
      const titles = {
        ...optional("name", invocation.text("name")),
        ...(invocation.flag("record") ? { record: true } : {}),
        adapter_title: truncate(oneLine(String(checked.prompt)), MAX_TITLE),
      };
      return startSession(
        { command: program, kind, cwd, env, ...titles },
        { detached: true, ...optional("worktree", made) },
        output,
      );
    }
  },
};

export default command;
