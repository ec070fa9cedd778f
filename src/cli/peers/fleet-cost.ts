/** `amux cost report --peers`. */
import type { DaemonApi, FleetCostSummary } from "../../client/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine } from "../../lib/text/text.ts";
import { usageError, type Invocation } from "../command.ts";
import { dayChart } from "../format/bar-chart.ts";
import { explanationCsv, reportCsv } from "../../history/cost/csv.ts";
import { explanationJson, explanationLines } from "../format/cost-explanation.ts";
import { reportLines } from "../format/cost-table.ts";
import { compact, count, money } from "../format/figures.ts";
import { noteMissing, machineName, machineNames } from "../format/machines.ts";
import { table } from "../format/table.ts";
import { noteSkipped } from "../filters.ts";
import type { Output } from "../output.ts";
import { fleetApi, fleetFilters, INCOMPLETE, refuseWith } from "./fleet-options.ts";

export async function costOfFleet(invocation: Invocation): Promise<number> {
  refuseWith(invocation, ["no-index"], ["archive"]);
  const { output } = invocation;
  if (output.json && invocation.flag("csv")) throw usageError("Ask for --json or --csv, not for both.");
  const [session] = invocation.arguments;
  const explains = invocation.flag("explain");
  if (session !== undefined && !explains) {
    throw usageError(`amux cost report takes a session only with --explain, not "${session}".`);
  }
  const api = await fleetApi(invocation);
  const query = {
    ...fleetFilters(invocation),
    ...optional("agent", invocation.text("agent")),
    ...optional("group_by", invocation.text("group-by")),
    // The local time zone defines the days, not each machine's.
    time_zone: invocation.text("timezone") ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const cost = explains
    ? await explain(invocation, api, { ...query, ...optional("session", session && (await wholeId(api, session))) })
    : await report(invocation, await api.fleetCost(query));
  noteMissing(output, cost.machines);
  return cost.partial ? INCOMPLETE : 0;
}

async function report(invocation: Invocation, cost: FleetCostSummary): Promise<FleetCostSummary> {
  const { output } = invocation;
  output.clearProgress();
  if (output.json) await output.writeJson(cost);
  else if (invocation.flag("csv")) await output.write(reportCsv(cost));
  else {
    const lines = [...dayChart(cost, output), ...reportLines(cost, output), "", ...machineLines(cost, output)];
    await output.page(lines.map((line) => `${line}\n`));
    noteSkipped(output, cost.skipped);
    noteOtherPrices(cost, output);
  }
  return cost;
}

async function explain(
  invocation: Invocation,
  api: DaemonApi,
  query: Parameters<DaemonApi["fleetCostExplained"]>[0],
): Promise<FleetCostSummary> {
  const { output } = invocation;
  const told = await api.fleetCostExplained(query);
  output.clearProgress();
  const explanation = {
    summary: told.summary,
    requests: told.requests.map(dated),
    dropped: told.dropped.map(dated),
  };
  const where = (held: object): string => machineNames((held as { machines: string[] }).machines);
  if (output.json) await output.write(explanationJson(explanation));
  else if (invocation.flag("csv")) await output.write(explanationCsv(explanation, where));
  else {
    const lines = machineLines(told.summary, output).map((line) => `${line}\n`);
    const requests = explanationLines(explanation, output, invocation.text("timezone"), where);
    await output.page([...requests, "\n", ...lines]);
    noteSkipped(output, told.summary.skipped);
    noteOtherPrices(told.summary, output);
  }
  return told.summary;
}

function dated<Held extends { timestamp?: string }>(held: Held): Omit<Held, "timestamp"> & { timestamp?: Date } {
  const { timestamp, ...rest } = held;
  return { ...rest, ...optional("timestamp", timestamp === undefined ? undefined : new Date(timestamp)) };
}

/** The session's full id, whichever machines hold it. */
async function wholeId(api: DaemonApi, reference: string): Promise<string> {
  const colon = reference.indexOf(":");
  if (colon < 1) throw usageError("A session is named as <agent>:<id>.");
  const agent = reference.slice(0, colon);
  const { sessions } = await api.fleetHistory({ agent, counts: false, limit: ALL });
  const ids = sessions.map(({ unifiedId }) => unifiedId);
  const found = ids.includes(reference) ? [reference] : ids.filter((id) => id.startsWith(reference));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const some = found.slice(0, MAX_SHOWN).map(oneLine).join(", ");
    throw new AgentMuxError("VALIDATION_ERROR", `"${reference}" is ambiguous: ${some}.`);
  }
  throw new AgentMuxError("SESSION_NOT_FOUND", `No machine that answered has a session "${reference}".`);
}

const ALL = 1_000_000;
const MAX_SHOWN = 5;

type Line = FleetCostSummary["machines"][number];

/** Each machine's own share. */
function machineLines({ machines }: FleetCostSummary, output: Output): string[] {
  const right = "right" as const;
  return table<Line>(
    machines.filter(({ error }) => error === undefined),
    [
      { title: "MACHINE", value: ({ machine }) => machineName(machine) },
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

/** Each machine uses its own price table. */
function noteOtherPrices({ machines, prices }: FleetCostSummary, output: Output): void {
  const others = machines.filter((each) => each.prices !== undefined && each.prices.digest !== prices.digest);
  if (others.length === 0) return;
  output.note(`Priced with another price table: ${others.map(({ machine }) => machineName(machine)).join(", ")}.`);
}
