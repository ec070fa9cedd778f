/** `amux cost report --peers`, and `amux peers cost`. */
import type { FleetCostSummary } from "../../client/daemon-api.ts";
import { optional } from "../../lib/optional.ts";
import { usageError, type Invocation } from "../command.ts";
import { dayChart } from "../format/bar-chart.ts";
import { reportCsv } from "../../sessions/cost/csv.ts";
import { reportLines } from "../format/cost-table.ts";
import { compact, count, money } from "../format/figures.ts";
import { noteMissing, placeName } from "../format/machines.ts";
import { table } from "../format/table.ts";
import { noteSkipped } from "../filters.ts";
import type { Output } from "../output.ts";
import { fleetApi, fleetFilters, INCOMPLETE, refuseWith } from "./fleet-options.ts";

export async function costOfFleet(invocation: Invocation): Promise<number> {
  refuseWith(invocation, ["explain", "no-index"], ["archive"]);
  const { output } = invocation;
  if (invocation.arguments.length > 0) throw usageError("--peers and a session exclude each other.");
  if (output.json && invocation.flag("csv")) throw usageError("Ask for --json or --csv, not for both.");
  const api = await fleetApi(invocation);
  const cost = await api.fleetCost({
    ...fleetFilters(invocation),
    ...optional("agent", invocation.text("agent")),
    ...optional("group_by", invocation.text("group-by")),
    // Whose days are meant is decided here, not on each machine.
    time_zone: invocation.text("timezone") ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  output.clearProgress();
  if (output.json) await output.writeJson(cost);
  else if (invocation.flag("csv")) await output.write(reportCsv(cost));
  else {
    const report = [...dayChart(cost, output), ...reportLines(cost, output), "", ...machineLines(cost, output)];
    await output.page(report.map((line) => `${line}\n`));
    noteSkipped(output, cost.skipped);
    noteOtherPrices(cost, output);
  }
  noteMissing(output, cost.machines);
  return cost.partial ? INCOMPLETE : 0;
}

type Line = FleetCostSummary["machines"][number];

/** What each machine is the one to tell. */
function machineLines({ machines }: FleetCostSummary, output: Output): string[] {
  const right = "right" as const;
  return table<Line>(
    machines.filter(({ error }) => error === undefined),
    [
      { title: "MACHINE", value: ({ machine }) => placeName(machine) },
      { title: "COST", value: ({ totalUsd }) => money(totalUsd), align: right },
      { title: "SESSIONS", value: ({ sessionCount }) => count(sessionCount), align: right },
      { title: "REQUESTS", value: ({ requestCount }) => count(requestCount), align: right },
      { title: "COUNTED ELSEWHERE", value: ({ duplicates }) => count(duplicates), align: right },
      { title: "INPUT", value: ({ inputTokens }) => compact(inputTokens), align: right },
      { title: "OUTPUT", value: ({ outputTokens }) => compact(outputTokens), align: right },
    ],
    output.width,
    (text) => output.style("bold", text),
  );
}

/** Each machine prices with its own table. */
function noteOtherPrices({ machines, prices }: FleetCostSummary, output: Output): void {
  const others = machines.filter((each) => each.prices !== undefined && each.prices.digest !== prices.digest);
  if (others.length === 0) return;
  output.note(`Priced by another table: ${others.map(({ machine }) => placeName(machine)).join(", ")}.`);
}
