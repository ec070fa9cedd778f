import { DaemonApi } from "../../client/daemon-api.ts";
import type { FleetCost } from "../../protocol/fleet.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { AGENT_OPTION, commonFilters, DATE_OPTIONS, MODEL_OPTION } from "../filters.ts";
import { compact, count, money } from "../format/figures.ts";
import { noteMissing, placeName } from "../format/machines.ts";
import { table } from "../format/table.ts";

const INCOMPLETE = 3;

type Line = Pick<FleetCost, "totalUsd" | "inputTokens" | "outputTokens" | "requestCount" | "sessionCount"> & {
  machine: string;
  duplicates: number;
};

const command: Command = {
  name: "peers cost",
  summary: "What the sessions of all machines cost",
  description:
    "Adds up every billed request of every machine, each once: synchronised homes hold copies of each other's. Machines that do not answer are named, and the exit code is 3.",
  options: [AGENT_OPTION, ...DATE_OPTIONS, MODEL_OPTION],
  examples: [["amux peers cost --since 30d", "the last month, machine by machine"]],
  async run(invocation) {
    const { output } = invocation;
    const { since, until, model } = commonFilters(invocation);
    await ensureDaemon();
    const cost = await new DaemonApi(daemonClient()).fleetCost({
      agent: invocation.text("agent"),
      since: since?.toISOString(),
      until: until?.toISOString(),
      model,
    });
    if (output.json) await output.writeJson(cost);
    else {
      const duplicates = cost.machines.reduce((sum, machine) => sum + machine.duplicates, 0);
      const rows: Line[] = [
        ...cost.machines
          .filter(({ error }) => error === undefined)
          .map((line) => ({ ...line, machine: placeName(line.machine) })),
        { ...cost, machine: "all", duplicates },
      ];
      const right = "right" as const;
      const lines = table<Line>(
        rows,
        [
          { title: "MACHINE", value: ({ machine }) => machine },
          { title: "COST", value: ({ totalUsd }) => money(totalUsd), align: right },
          { title: "SESSIONS", value: ({ sessionCount }) => count(sessionCount), align: right },
          { title: "REQUESTS", value: ({ requestCount }) => count(requestCount), align: right },
          { title: "HELD ELSEWHERE TOO", value: (row) => count(row.duplicates), align: right },
          { title: "INPUT", value: ({ inputTokens }) => compact(inputTokens), align: right },
          { title: "OUTPUT", value: ({ outputTokens }) => compact(outputTokens), align: right },
        ],
        output.width,
        (text) => output.style("dim", text),
      );
      await output.write(lines.map((line) => `${line}\n`));
    }
    noteMissing(output, cost.machines);
    return cost.partial ? INCOMPLETE : 0;
  },
};

export default command;
