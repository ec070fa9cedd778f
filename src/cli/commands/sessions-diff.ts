import type { DiffOperation } from "../../core/diff.ts";
import type { SessionMessage } from "../../core/session.ts";
import { createClient } from "../../index.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Command } from "../command.ts";
import { cut } from "../format/display-width.ts";
import { resolveReference } from "../session-reference.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "sessions diff",
  description: "Shows which messages two sessions share and where they differ. They may belong to different agents.",
  arguments: [
    { name: "a", description: "<agent>:<id>, or the id alone" },
    { name: "b", description: "<agent>:<id>, or the id alone" },
  ],
  options: [{ name: "all", description: "print unchanged messages too" }],
  examples: [
    ["amux sessions diff claude:dfb61421 claude:2f8a60a3", "a fork against the session it came from"],
    ["amux sessions diff claude:dfb61421 codex:01a1dce3 --json", "two agents on the same task, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const client = createClient();
    const [a, b] = [
      await resolveReference(client, [invocation.arguments[0]!]),
      await resolveReference(client, [invocation.arguments[1]!]),
    ];
    const diff = await client.sessions.diff(a, b);
    if (output.json) return output.writeJson(diff);
    const { removals, additions, modifications, unchanged } = diff.stats;
    const lines = [
      output.style("red", `- ${diff.a.unifiedId}`),
      output.style("green", `+ ${diff.b.unifiedId}`),
      `${unchanged} unchanged, ${modifications} modified, ${removals} only in the first, ${additions} only in the second`,
      "",
      ...diffLines(diff.operations, output, invocation.flag("all")),
    ];
    await output.page(lines.map((line) => `${line}\n`));
  },
};

export default command;

function diffLines(operations: readonly DiffOperation[], output: Output, all: boolean): string[] {
  const lines: string[] = [];
  let skipped = 0;
  const flush = (): void => {
    if (skipped > 0) lines.push(output.style("dim", `  … ${skipped} unchanged`));
    skipped = 0;
  };
  for (const operation of operations) {
    if (operation.type === "unchanged" && !all) skipped++;
    else {
      flush();
      lines.push(...operationLines(operation, output));
    }
  }
  flush();
  return lines;
}

function operationLines({ type, messageA, messageB, indexA, indexB }: DiffOperation, output: Output): string[] {
  if (type === "unchanged") return [`  ${messageLine(messageA!, indexA!, output)}`];
  const lines: string[] = [];
  if (messageA) lines.push(output.style("red", `- ${messageLine(messageA, indexA!, output)}`));
  if (messageB) lines.push(output.style("green", `+ ${messageLine(messageB, indexB!, output)}`));
  return lines;
}

const PIPED_WIDTH = 160;

function messageLine(message: SessionMessage, index: number, output: Output): string {
  const calls = (message.toolCalls ?? []).map((call) => `[${call.toolName}]`).join(" ");
  const label = `#${index} ${message.role}`.padEnd(15);
  const width = Number.isFinite(output.width) ? output.width : PIPED_WIDTH;
  return cut(oneLine(`${label} ${message.content} ${calls}`), width - 2);
}
