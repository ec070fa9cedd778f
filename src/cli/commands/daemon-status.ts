import { optional } from "../../lib/values/optional.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { daemonClient } from "../daemon-process.ts";
import { healthText } from "../format/daemon-health.ts";
import { scheduleStatus, scheduleText } from "../format/push-schedule.ts";

const NOT_RUNNING = 1;

const command: Command = {
  name: "daemon status",
  examples: [["amux daemon status", "exit code 0 if it runs, 1 if not"]],
  async run({ output }) {
    const health = await daemonClient().health();
    const schedule = scheduleStatus(amuxHome(processEnv()));
    if (output.json)
      await output.writeJson(health === undefined ? null : { ...health, ...optional("archive_push", schedule) });
    else {
      await output.write(health === undefined ? "The daemon is not running.\n" : healthText(health));
      if (schedule !== undefined) await output.write(`${scheduleText(schedule)}\n`);
    }
    return health === undefined ? NOT_RUNNING : 0;
  },
};

export default command;
