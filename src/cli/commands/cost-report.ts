import type { CostExplanation, CostSummary } from "../../core/cost.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import { optional } from "../../lib/values/optional.ts";
import type { CostExplanationOptions } from "../../history/options.ts";
import type { CostGroup } from "../../history/cost/grouping.ts";
import { budgetJson, checkedBudgets } from "../check-budgets.ts";
import { queryClient, ARCHIVE_OPTIONS, type QueryClient } from "../archive-options.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import {
  AGENT_OPTION,
  commonFilters,
  COST_GROUP_OPTION,
  DATE_OPTIONS,
  indexMode,
  MODEL_OPTION,
  NO_INDEX_OPTION,
  noteSkipped,
  TAG_OPTION,
  TIME_ZONE_OPTION,
} from "../filters.ts";
import { budgetLines } from "./budget-list.ts";
import { dayChart } from "../format/bar-chart.ts";
import { titled } from "../../history/cost/titled.ts";
import { explanationCsv, reportCsv } from "../../history/cost/csv.ts";
import { explanationJson, explanationLines } from "../format/cost-explanation.ts";
import { reportLines } from "../format/cost-table.ts";
import { PEERS_OPTION } from "../peers/peers-option.ts";
import { resolveReference } from "../session-reference.ts";
import { localSessions } from "../local-sessions.ts";
import { titlesOf } from "../session-titles.ts";

const command: Command = {
  name: "cost report",
  description:
    "Adds up every billed request once, at the price of its day. Figures are API list prices: on a subscription they are the value used, not money spent.",
  arguments: [{ name: "session", description: "with --explain: only this session, as <agent>:<id>", optional: true }],
  options: [
    AGENT_OPTION,
    ...DATE_OPTIONS,
    MODEL_OPTION,
    TAG_OPTION,
    COST_GROUP_OPTION,
    TIME_ZONE_OPTION,
    { name: "compare", description: "with --since: compare with the previous period of the same length" },
    { name: "explain", description: "list every request: price, kind, and copies not counted again" },
    {
      name: "recompute",
      description: "compute from tokens even where an agent recorded dollars itself",
    },
    { name: "budget", description: "add your budgets and how much of each is used" },
    { name: "csv", description: "print comma-separated values" },
    NO_INDEX_OPTION,
    ...ARCHIVE_OPTIONS,
    PEERS_OPTION,
  ],
  examples: [
    ["amux cost report", "all sessions"],
    ["amux cost report --since 30d --group-by day", "the last 30 days, day by day"],
    ["amux cost report --since 3mo --group-by month", "month by month; weeks begin on Monday"],
    ["amux cost report --since 7d --compare --group-by project", "this week against the week before"],
    ["amux cost report --since today --group-by session", "what today's sessions cost, with their titles"],
    ["amux cost report --group-by project,model", "what each project used, model by model"],
    ["amux cost report --explain claude:5cbe954d", "every request of one session"],
    ["amux cost report --agent pi --recompute", "computed from tokens, not from the dollars Pi recorded"],
    ["amux cost report --peers --since 30d --group-by model", "all linked machines, each request once"],
    [
      "amux cost report --peers --explain claude:5cbe954d",
      "every request of one session, with the machines that have it",
    ],
    ["amux cost report --agent claude --group-by day,branch --csv", "for a spreadsheet"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (invocation.flag("recompute") && (invocation.flag("peers") || invocation.text("archive") !== undefined)) {
      throw usageError("--recompute is for this machine's sessions: leave out --peers and --archive.");
    }
    if (
      invocation.flag("compare") &&
      (invocation.flag("peers") || invocation.flag("explain") || invocation.flag("csv"))
    )
      throw usageError("--compare is for this machine's report: leave out --peers, --explain and --csv.");
    if (invocation.flag("peers")) return (await import("../peers/fleet-cost.ts")).costOfFleet(invocation);
    const client = await queryClient(invocation, localSessions());
    const options = await optionsOf(invocation, client);
    if (invocation.flag("explain")) return explain(invocation, await client.sessions.explainCost(options));
    const before = invocation.flag("compare") ? await costBefore(client, options) : undefined;
    const plain = await client.sessions.totalCost(options);
    if (invocation.flag("csv")) return output.write(reportCsv(plain));
    const titles = plain.groupBy?.includes("session") === true ? await titlesOf(client, options) : undefined;
    const summary =
      titles === undefined ? plain : { ...plain, breakdowns: titled(plain.breakdowns, plain.groupBy!, titles) };
    const budgets = invocation.flag("budget") ? await checkedBudgets() : undefined;
    if (output.json)
      return output.writeJson({
        ...summary,
        ...optional("before", before),
        ...optional("budgets", budgets?.map(budgetJson)),
      });
    const facts = { ...optional("before", before), ids: [...(titles?.keys() ?? [])].map(nativeId) };
    await output.page(
      [...dayChart(summary, output), ...reportLines(summary, output, facts)].map((line) => `${line}\n`),
    );
    if (budgets !== undefined) await output.write(budgetLines(budgets, output).map((line) => `${line}\n`));
    if (budgets?.length === 0) output.note("No budget is set. See amux budget set --help.");
    noteSkipped(output, summary.skipped);
    return undefined;
  },
};

export default command;

/** The stretch of the same length that ends where this one begins. */
async function costBefore(client: QueryClient, options: CostExplanationOptions): Promise<CostSummary> {
  const { since, until = new Date(), ...others } = options;
  if (since === undefined) throw usageError("--compare needs --since: it compares with the time before that.");
  const from = new Date(since.getTime() - Math.max(0, until.getTime() - since.getTime()));
  return client.sessions.totalCost({ ...others, since: from, until: new Date(since.getTime() - 1) });
}

function nativeId(unifiedId: string): string {
  return splitUnifiedId(unifiedId)?.nativeSessionId ?? unifiedId;
}

async function optionsOf(invocation: Invocation, client: QueryClient): Promise<CostExplanationOptions> {
  if (invocation.output.json && invocation.flag("csv")) throw usageError("Ask for --json or --csv, not for both.");
  const [reference] = invocation.arguments;
  if (reference !== undefined && !invocation.flag("explain")) {
    throw usageError(`amux cost report takes a session only with --explain, not "${reference}".`);
  }
  const session = reference === undefined ? undefined : await resolveReference(client, [reference]);
  const agent = session?.agent ?? invocation.text("agent");
  if (agent !== undefined) await client.adapters.get(agent);
  const groupBy = invocation.text("group-by")?.split(",") as CostGroup[] | undefined;
  const timeZone = invocation.text("timezone");
  return {
    ...commonFilters(invocation),
    ...indexMode(invocation),
    ...(agent !== undefined ? { agent } : {}),
    ...(session ? { sessionId: session.sessionId } : {}),
    ...(groupBy ? { groupBy } : {}),
    ...(timeZone !== undefined ? { timeZone } : {}),
    ...(invocation.flag("recompute") ? { recompute: true } : {}),
  };
}

async function explain(invocation: Invocation, explanation: CostExplanation): Promise<void> {
  const { output } = invocation;
  if (output.json) return output.write(explanationJson(explanation));
  if (invocation.flag("csv")) return output.write(explanationCsv(explanation));
  await output.page(explanationLines(explanation, output, invocation.text("timezone")));
  noteSkipped(output, explanation.summary.skipped);
}
