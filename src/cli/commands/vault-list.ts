import { Vault, type VaultSession } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { localTime } from "../../lib/text/local-time.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTION } from "../filters.ts";
import { agentLabel } from "../format/agent-label.ts";
import { bytes, count } from "../format/figures.ts";
import { table, type Column } from "../format/table.ts";

const command: Command = {
  name: "vault list",
  description:
    "Lists sessions by last change, with their files. For titles and cost see amux sessions list, which has them too.",
  options: [AGENT_OPTION, { name: "gone", description: "only sessions whose own file is gone" }],
  examples: [["amux vault list --gone", "what the agents have deleted"]],
  async run(invocation) {
    const { output } = invocation;
    const agent = invocation.text("agent");
    const rows = new Vault(processEnv())
      .sessions()
      .filter((row) => (agent === undefined || row.agent === agent) && (row.isGone || !invocation.flag("gone")));
    if (output.json) return output.writeJson(rows.map(asJson));
    if (rows.length === 0) return output.note("No sessions in the vault.");
    return output.page(
      table(rows, COLUMNS, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
    );
  },
};

export default command;

function asJson({ agent, sessionId, updatedMs, isGone, files }: VaultSession): object {
  return {
    agent,
    sessionId,
    updatedAt: new Date(updatedMs),
    inVaultOnly: isGone,
    files: files.map(({ path, size, mtimeMs }) => ({ path, size, modifiedAt: new Date(mtimeMs) })),
  };
}

const COLUMNS: readonly Column<VaultSession>[] = [
  { title: "DATE", value: ({ updatedMs }) => localTime(new Date(updatedMs), new Date()) },
  { title: "AGENT", value: ({ agent }) => agentLabel(agent) },
  { title: "ID", value: ({ sessionId }) => sessionId },
  { title: "FILES", value: ({ files }) => count(files.length), align: "right" },
  { title: "SIZE", value: ({ files }) => bytes(files.reduce((sum, { size }) => sum + size, 0)), align: "right" },
  { title: "OWN FILE", value: ({ isGone }) => (isGone ? "gone" : "there") },
];
