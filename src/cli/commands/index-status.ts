import type { AgentIndexStatus } from "../../history/search/engine.ts";
import type { Command } from "../command.ts";
import { agentLabel } from "../format/agent-label.ts";
import { bytes, count } from "../format/figures.ts";
import { table, type Column } from "../format/table.ts";
import { localSessions } from "../local-sessions.ts";

const command: Command = {
  name: "index status",
  description:
    "Shows how many sessions the index covers. Sessions it lacks are read during a search, so nothing is missed.",
  examples: [["amux index status", "sessions per agent"]],
  async run({ output }) {
    const status = await localSessions().sessions.indexStatus();
    if (output.json) return output.writeJson(status);
    const agents = status.agents.filter(({ sessions }) => sessions > 0);
    const lines = [
      status.exists ? `${status.path}  ${bytes(status.bytes)}` : `${status.path}  does not exist yet`,
      ...(status.building ? [output.style("yellow", "being built now")] : []),
      "",
      ...table(agents, COLUMNS, output.width, (text) => output.style("bold", text)),
    ];
    await output.write(lines.map((line) => `${line}\n`));
    const lacks = agents.reduce((sum, { outdated, missing }) => sum + outdated + missing, 0);
    if (lacks === 0) return;
    if (status.copied)
      output.note("\nThis index was copied: amux index build reuses unchanged sessions and reads the rest.");
    else output.note(`\n${count(lacks)} not indexed yet; amux index build adds them now.`);
  },
};

export default command;

const figure = (title: string, value: (status: AgentIndexStatus) => string): Column<AgentIndexStatus> => ({
  title,
  value,
  align: "right",
});

const COLUMNS: readonly Column<AgentIndexStatus>[] = [
  { title: "AGENT", value: ({ agent }) => agentLabel(agent) },
  figure("SESSIONS", ({ sessions }) => count(sessions)),
  figure("CURRENT", ({ current }) => count(current)),
  figure("OUTDATED", ({ outdated }) => count(outdated)),
  figure("MISSING", ({ missing }) => count(missing)),
  figure("TO READ", ({ bytesToRead }) => (bytesToRead === 0 ? "" : bytes(bytesToRead))),
];
