import { machineName } from "../../archive/machine.ts";
import { readRules } from "../../redaction/user-rules.ts";
import { archiveStatus, type ArchiveStatus, type MachineStatus, type OwnerStatus } from "../../archive/status.ts";
import { connected } from "../../archive/store/connection.ts";
import { createClient } from "../../index.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import type { Command } from "../command.ts";
import { progressOn } from "../filters.ts";
import { age, count } from "../format/figures.ts";
import { scheduleStatus, scheduleText } from "../format/push-schedule.ts";
import { table } from "../format/table.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "archive status",
  description: "Shows whose sessions you can see, your machines, and what this machine has not pushed yet.",
  options: [TO_OPTION],
  examples: [["amux archive status --json | jq .here", "what a push would send, for a script"]],
  async run(invocation) {
    const { output } = invocation;
    const env = processEnv();
    const status = await connected(archiveOf(invocation), (connection) =>
      createClient().sessions.withCatalogs({ onProgress: progressOn(output) }, (catalogs) =>
        archiveStatus(connection, catalogs, { machine: machineName(env), rules: readRules(env).version }),
      ),
    );
    const schedule = scheduleStatus(amuxHome(env));
    if (output.json) return output.writeJson({ ...status, schedule: schedule ?? null });
    await output.write(lines(status, output).map((line) => `${line}\n`));
    if (schedule !== undefined) await output.write(`\n${scheduleText(schedule)}\n`);
    if (status.seesEverything) {
      output.note(`${status.user} is not bound by row-level security and sees all sessions; use an ordinary role.`);
    }
  },
};

export default command;

function lines({ archive, schema, user, machine, here, owners, machines }: ArchiveStatus, output: Output): string[] {
  const heading = (text: string): string => output.style("dim", text);
  const sessions = {
    title: "SESSIONS",
    value: (row: OwnerStatus | MachineStatus) => count(row.sessions),
    align: "right",
  } as const;
  return [
    `${archive} (tables of version ${schema}), as ${user}`,
    `This machine, ${machine}: ${count(here.current)} sessions there, ${count(here.changed)} changed since, ${count(here.missing)} never sent${here.tooOld === 0 ? "" : `, ${count(here.tooOld)} older than the retention date`}`,
    "",
    ...table<OwnerStatus>(
      owners,
      [
        { title: "OWNER", value: (row) => row.owner },
        sessions,
        { title: "MESSAGES", value: (row) => count(row.messages), align: "right" },
        { title: "SHARED", value: (row) => count(row.shared), align: "right" },
      ],
      output.width,
      heading,
    ),
    "",
    ...table<MachineStatus>(
      machines,
      [
        { title: "MY MACHINES", value: (row) => row.machine },
        sessions,
        { title: "SECRETS TAKEN OUT", value: (row) => count(row.redactions), align: "right" },
        { title: "PUSHED", value: (row) => age(row.pushedAt) },
      ],
      output.width,
      heading,
    ),
  ];
}
