/** Asks the user at the terminal what an agent wants to know. */
import { createInterface } from "node:readline/promises";
import type { RunOptions } from "../../core/run-options.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** On standard error, so that the answer can be piped. */
export const terminalAnswers: Pick<RunOptions, "onApprovalRequest" | "onInputRequired"> = {
  async onApprovalRequest({ action, detail }) {
    const isAllowed = await askYesOrNo(`${oneLine(action)}: ${withoutControls(detail)}\nAllow?`);
    return isAllowed ? "approve" : "deny";
  },
  async onInputRequired({ question, context }) {
    const choices = context === undefined ? "" : ` (${withoutControls(context)})`;
    return ask(`${withoutControls(question)}${choices}\n> `);
  },
};

export async function askYesOrNo(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await ask(`${withoutControls(question)} [y/N] `)).trim());
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // In raw mode Ctrl-C is a key, and must still end the run.
  terminal.on("SIGINT", () => process.emit("SIGINT"));
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
