import { AgentMuxError } from "../../core/errors.ts";
import type { BuildProgress, BuildResult } from "../../history/search/index-builder.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTION } from "../filters.ts";
import { bytes, count } from "../format/figures.ts";
import { localSessions } from "../local-sessions.ts";

const command: Command = {
  name: "index build",
  description:
    "Adds new and changed sessions to the index now. Searches do the same step by step. An interrupted build continues where it stopped.",
  options: [AGENT_OPTION],
  examples: [
    ["amux index build", "all agents"],
    ["amux index build --agent codex --json", "one agent, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const agent = invocation.text("agent");
    const started = performance.now();
    const result = await localSessions().sessions.buildIndex({
      ...(agent === undefined ? {} : { agent }),
      onProgress: (progress) => output.progress(bar(progress, performance.now() - started)),
    });
    if (result.stopped === "space") {
      throw new AgentMuxError("INTERNAL", "The disk is full. The index keeps what was read so far.");
    }
    if (output.json) return output.writeJson(result);
    await output.write(`${described(result)}\n`);
  },
};

export default command;

const BAR_WIDTH = 24;

function bar({ done, total, doneBytes, totalBytes }: BuildProgress, elapsedMs: number): string {
  const share = totalBytes === 0 ? 1 : doneBytes / totalBytes;
  const filled = "█".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, "░");
  const leftMs = share === 0 ? Number.NaN : (elapsedMs * (1 - share)) / share;
  const left = Number.isNaN(leftMs) ? "" : `  ${Math.ceil(leftMs / 1000)} s left`;
  return `${filled} ${String(Math.round(share * 100)).padStart(3)} %  ${count(done)}/${count(total)} sessions, ${bytes(totalBytes)}${left}`;
}

function described({ added, removed, unchanged, stopped }: BuildResult): string {
  if (stopped === "busy") return "Another process is building the index.";
  const parts = [
    `${count(added)} ${added === 1 ? "session" : "sessions"} read`,
    ...(removed > 0 ? [`${count(removed)} gone`] : []),
    `${count(unchanged)} unchanged`,
  ];
  return `${parts.join(", ")}.`;
}
