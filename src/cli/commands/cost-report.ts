import type { CostBreakdown, CostSummary } from "../../core/cost.ts";
import { createClient } from "../../index.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTION, commonFilters, DATE_OPTIONS, MODEL_OPTION, TAG_OPTION } from "../filters.ts";
import { compact, count, money } from "../format/figures.ts";
import { table, type Column } from "../format/table.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "cost report",
  summary: "What the sessions cost",
  description:
    "Adds up every billed request of every session, each once, at the prices of its day. Figures are list prices of the API: on a subscription they are the value used, not money spent.",
  options: [
    AGENT_OPTION,
    ...DATE_OPTIONS,
    MODEL_OPTION,
    TAG_OPTION,
    { name: "group-by", value: "field", description: "a line for each", choices: ["agent", "model", "day", "tag"] },
  ],
  examples: [
    ["amux cost report", "everything, ever"],
    ["amux cost report --since 30d --group-by day", "the last month day by day"],
    ["amux cost report --agent claude --group-by model --json", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const agent = invocation.text("agent");
    const groupBy = invocation.text("group-by") as "agent" | "model" | "day" | "tag" | undefined;
    const client = createClient();
    if (agent !== undefined) await client.adapters.get(agent);
    const summary = await client.sessions.totalCost({
      ...commonFilters(invocation),
      ...(agent !== undefined ? { agent } : {}),
      ...(groupBy !== undefined ? { groupBy } : {}),
    });
    if (output.json) return output.writeJson(summary);
    await output.page(reportLines(summary, groupBy, output).map((line) => `${line}\n`));
  },
};

export default command;

function reportLines(summary: CostSummary, groupBy: string | undefined, output: Output): string[] {
  const total: CostBreakdown = { key: "total", ...summary };
  const rows = [...Object.values(summary.breakdowns ?? {}), total];
  const columns: Column<CostBreakdown>[] = [
    { title: (groupBy ?? "").toUpperCase(), value: (row) => row.key, min: 12 },
    { title: "COST", value: (row) => money(row.totalUsd), align: "right" },
    { title: "REQUESTS", value: (row) => count(row.requestCount), align: "right", dispensable: 2 },
    { title: "SESSIONS", value: (row) => count(row.sessionCount), align: "right", dispensable: 3 },
    { title: "INPUT", value: (row) => compact(row.inputTokens), align: "right" },
    { title: "CACHE READ", value: (row) => compact(row.cachedTokens), align: "right", dispensable: 1 },
    { title: "CACHE WRITE", value: (row) => compact(row.cacheWriteTokens), align: "right", dispensable: 1 },
    { title: "OUTPUT", value: (row) => compact(row.outputTokens), align: "right" },
  ];
  const lines = table(rows, columns, output.width, (text) => output.style("bold", text));
  lines[lines.length - 1] = output.style("bold", lines.at(-1)!);
  return [
    ...lines,
    "",
    ...kindLines(summary),
    output.style("dim", `Prices: ${summary.prices.version} (${summary.prices.digest.slice(0, 12)})`),
  ];
}

const KIND_TEXTS = {
  reported: "reported by the agent",
  computed: "computed from tokens",
  "lower-bound": "at least, the final count is missing",
  unpriced: "without a known price: not in the total",
  unknown: "sessions without token counts: not in the total",
} as const;

function kindLines({ kinds }: CostSummary): string[] {
  return (Object.keys(KIND_TEXTS) as (keyof typeof KIND_TEXTS)[])
    .filter((kind) => kinds[kind].requests > 0 || kinds[kind].usd !== 0)
    .map(
      (kind) =>
        `${count(kinds[kind].requests).padStart(9)}  ${KIND_TEXTS[kind]}${kinds[kind].usd === 0 ? "" : `  ${money(kinds[kind].usd)}`}`,
    );
}
