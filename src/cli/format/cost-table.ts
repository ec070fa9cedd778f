/** A cost report as a table with indented sub-groups. */
import type { CostBreakdown, CostKind, CostSummary } from "../../core/cost.ts";
import { isDateGroup } from "../../history/cost/grouping.ts";
import { inOrder, weakestKind } from "../../history/cost/report-order.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Output } from "../output.ts";
import { agentLabel } from "./agent-label.ts";
import { columnDigits, compact, costCell, count, counted, money } from "./figures.ts";
import { shortIds } from "./session-table.ts";
import { hiddenColumns, table, type Column } from "./table.ts";

interface Row {
  label: string;
  level: number;
  figures: Omit<CostBreakdown, "key" | "breakdowns">;
  /** Unified id, of a session with a title. */
  id?: string;
  /** In the period before. */
  before?: number;
}

/** `ids`: all session ids, so that a shortened one means one session. */
export interface ReportFacts {
  before?: CostSummary;
  ids?: readonly string[];
}

export function reportLines(summary: CostSummary, output: Output, { before, ids = [] }: ReportFacts = {}): string[] {
  const groups = summary.groupBy ?? [];
  const total: Row = {
    label: "total",
    level: 0,
    figures: { ...summary, kind: weakestKind(summary) },
    ...optional("before", before?.totalUsd),
  };
  const rows = [...rowsOf(summary.breakdowns, groups, 0, before?.breakdowns), total];
  const digits = columnDigits(rows.flatMap(({ figures, before: usd }) => [figures.totalUsd, usd]));
  const shorten = shortIds(output.isTerminal ? ids : []);
  const columns: Column<Row>[] = [
    { title: groups.join(" / ").toUpperCase(), value: ({ label }) => label, indent: ({ level }) => 2 * level, min: 28 },
    ...(rows.some(({ id }) => id !== undefined)
      ? [{ title: "ID", value: ({ id }: Row) => shortUnified(id, shorten), dispensable: 0 }]
      : []),
    { title: "COST", value: ({ figures }) => costCell(figures, digits), align: "right" },
    ...(before === undefined ? [] : comparison(digits)),
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

function comparison(digits: number): Column<Row>[] {
  return [
    { title: "BEFORE", value: ({ before }) => (before === undefined ? "" : money(before, digits)), align: "right" },
    { title: "CHANGE", value: changeOf, align: "right" },
  ];
}

function changeOf({ before, figures: { totalUsd } }: Row): string {
  if (before === undefined) return "";
  if (before === 0) return totalUsd === 0 ? "" : "new";
  const percent = Math.round((100 * (totalUsd - before)) / before);
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${count(Math.abs(percent))} %`;
}

function shortUnified(id: string | undefined, shorten: (id: string) => string): string {
  if (id === undefined) return "";
  const at = id.indexOf(":") + 1;
  return `${id.slice(0, at)}${shorten(id.slice(at))}`;
}

/** Emphasises groups that contain others. */
function styled(line: string, { level }: Row, isTotal: boolean, levels: number, output: Output): string {
  return isTotal || level < levels - 1 ? output.style("bold", line) : line;
}

function* rowsOf(
  breakdowns: Record<string, CostBreakdown> | undefined,
  groups: readonly string[],
  level: number,
  before: Record<string, CostBreakdown> | undefined,
): Generator<Row> {
  // One week has other days than the week before.
  const isCompared = before !== undefined && !groups.some(isDateGroup);
  for (const { key, title, breakdowns: below, ...figures } of inOrder(breakdowns, groups[level])) {
    yield {
      label: title === undefined || title === "" ? (groups[level] === "agent" ? agentLabel(key) : key) : oneLine(title),
      level,
      figures,
      ...(title === undefined ? {} : { id: key }),
      ...(isCompared ? { before: before[key]?.totalUsd ?? 0 } : {}),
    };
    yield* rowsOf(below, groups, level + 1, isCompared ? (before[key]?.breakdowns ?? {}) : undefined);
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
