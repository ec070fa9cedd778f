import type { Command } from "../command.ts";
import { AGENT_OPTION, DATE_OPTIONS, MODEL_OPTION, TAG_OPTION, TIME_ZONE_OPTION } from "../filters.ts";
import { costOfFleet } from "../peers/fleet-cost.ts";
import { COST_GROUP_OPTION } from "../report-options.ts";

const command: Command = {
  name: "peers cost",
  summary: "What the sessions of all machines cost",
  description:
    "As amux cost report --peers: adds up every billed request of every machine, each once, for synchronised homes hold copies of each other's. Machines that do not answer are named, and the exit code is 3.",
  options: [
    AGENT_OPTION,
    ...DATE_OPTIONS,
    MODEL_OPTION,
    TAG_OPTION,
    COST_GROUP_OPTION,
    TIME_ZONE_OPTION,
    { name: "csv", description: "print comma-separated values" },
  ],
  examples: [["amux peers cost --since 30d", "the last month, machine by machine"]],
  run: costOfFleet,
};

export default command;
