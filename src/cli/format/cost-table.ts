/** A cost report as a table with indented sub-groups. */
import type { CostBreakdown, CostKind, CostSummary } from "../../core/cost.ts";
import { inOrder, weakestKind } from "../../history/cost/report-order.ts";
import type { Output } from "../output.ts";
import { compact, costCell, count, counted, money } from "./figures.ts";
import { hiddenColumns, table, type Column } from "./table.ts";

interface Row {
  label: string;
  level: number;
  figures: Omit<CostBreakdown, "key" | "breakdowns">;
}

export function reportLines(summary: CostSummary, output: Output): string[] {
  const groups = summary.groupBy ?? [];
  const total: Row = { label: "total", level: 0, figures: { ...summary, kind: weakestKind(summary) } };
  const rows = [...rowsOf(summary.breakdowns, groups, 0), total];
  const columns: Column<Row>[] = [
    { title: groups.join(" / ").toUpperCase(), value: ({ label }) => label, indent: ({ level }) => 2 * level, min: 28 },
    { title: "COST", value: ({ figures }) => costCell(figures), align: "right" },
    { title: "REQUESTS", value: ({ figures }) => count(figures.requestCount), align: "right", dispensable: 2 },
    { title: "SESSIONS", value: ({ figures }) => count(figures.sessionCount), align: "right", dispensable: 3 },
    { title: "INPUT", value: ({ figures }) => compact(figures.inputTokens), align: "right" },
    { title: "CACHE READ", value: ({ figures }) => compact(figures.cachedTokens), align: "right", dispensable: 1 },
    { title: "CACHE WRITE", value: ({ figures }) => compact(figures.cacheWriteTokens), align: "right", dispensable: 1 },
    { title: "OUTPUT", value: ({ figures }) => compact(figures.outputTokens), align: "right" },
  ];
  const hidden = hiddenColumns(rows, columns, output.width);
  const [heading, ...lines] = table(rows, columns, output.width, (text) => output.style("bold", text));
  return [
    heading!,
    ...lines.map((line, index) => styled(line, rows[index]!, rows[index] === total, groups.length, output)),
    ...(hidden.length === 0 ? [] : [output.style("dim", `Hidden at this width: ${hidden.join(", ")}`)]),
    "",
    ...kindLines(summary),
    output.style("dim", `API value at list prices ${summary.prices.version} (${summary.prices.digest})`),
  ];
}

/** Emphasises groups that contain others. */
function styled(line: string, { level }: Row, isTotal: boolean, levels: number, output: Output): string {
  return isTotal || level < levels - 1 ? output.style("bold", line) : line;
}

function* rowsOf(
  breakdowns: Record<string, CostBreakdown> | undefined,
  groups: readonly string[],
  level: number,
): Generator<Row> {
  for (const { key, breakdowns: below, ...figures } of inOrder(breakdowns, groups[level])) {
    yield { label: key, level, figures };
    yield* rowsOf(below, groups, level + 1);
  }
}

const KIND_TEXTS: Record<CostKind, string> = {
  reported: "reported by the agent",
  computed: "computed from tokens",
  "lower-bound": "at least, the final count is missing",
  unpriced: "without a known price: not in the total",
  unknown: "without token counts: not in the total",
};

/** The total by kind of figure. */
export function kindLines({ kinds }: CostSummary): string[] {
  const shown = (Object.keys(KIND_TEXTS) as CostKind[]).filter(
    (kind) => kinds[kind].requests > 0 || kinds[kind].usd !== 0,
  );
  const dollars = shown.map((kind) => (kind === "unpriced" || kind === "unknown" ? "–" : money(kinds[kind].usd)));
  const width = Math.max(0, ...dollars.map((text) => text.length));
  return shown.map((kind, index) => {
    const { requests } = kinds[kind];
    const many = kind === "unknown" ? `${count(requests)} sessions or requests` : counted(requests, "request");
    return `${dollars[index]!.padStart(width)}  ${KIND_TEXTS[kind]} (${many})`;
  });
}
