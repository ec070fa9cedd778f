import { Vault, type VaultStatus } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { agentLabel } from "../format/agent-label.ts";
import { age, bytes, count, counted } from "../format/figures.ts";
import { table, type Column } from "../format/table.ts";

const command: Command = {
  name: "vault status",
  examples: [["amux vault status", "size, limit, and sessions per agent"]],
  async run({ output }) {
    const status = new Vault(processEnv()).status();
    if (output.json) return output.writeJson(status);
    const { directory, enabled, maxBytes, files, onlyInVault, dropped, tooLarge, unpackedBytes, syncedAt } = status;
    const state = enabled ? "enabled" : "not enabled; amux vault enable turns it on";
    const saved = `${bytes(status.bytes)} of at most ${bytes(maxBytes)}, ${bytes(status.originalBytes)} before compression`;
    const lines = [
      `${directory}  ${state}`,
      ...(files === 0
        ? []
        : [
            `${saved}. When it is full, the sessions that changed longest ago are dropped first.`,
            `${counted(status.sessions, "session")} in ${counted(files, "file")}; ${count(onlyInVault)} only in the vault.`,
          ]),
      ...(dropped > 0 ? [output.style("yellow", `${counted(dropped, "session")} did not fit and were dropped.`)] : []),
      ...(tooLarge > 0 ? [`${counted(tooLarge, "file")} not copied: larger than the whole vault may be.`] : []),
      ...(unpackedBytes > 0 ? [`${bytes(unpackedBytes)} more are unpacked for reading, until tomorrow.`] : []),
      ...(status.unreadable > 0
        ? [
            output.style(
              "yellow",
              `${counted(status.unreadable, "line")} of its list cannot be read. Copies that no other line names are kept.`,
            ),
          ]
        : []),
      ...(syncedAt === undefined ? [] : [`Last copied ${ago(syncedAt)}.`]),
      ...(status.agents.length === 0
        ? []
        : ["", ...table(status.agents, COLUMNS, output.width, (text) => output.style("bold", text))]),
    ];
    return output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;

function ago(date: Date): string {
  const text = age(date);
  return text === "now" ? "just now" : `${text} ago`;
}

type Row = VaultStatus["agents"][number];

const COLUMNS: readonly Column<Row>[] = [
  { title: "AGENT", value: ({ agent }) => agentLabel(agent) },
  { title: "SESSIONS", value: ({ sessions }) => count(sessions), align: "right" },
  { title: "ONLY HERE", value: ({ onlyInVault }) => count(onlyInVault), align: "right" },
  { title: "ORIGINAL SIZE", value: ({ originalBytes }) => bytes(originalBytes), align: "right" },
];
