/** Costs as comma-separated values (RFC 4180), for spreadsheets. */
import type { CostBreakdown, CostExplanation, CostRequest, CostSummary, DroppedRequest } from "../../core/cost.ts";
import { withoutControls } from "../../lib/text/text.ts";
import { inOrder, weakestKind } from "./report-order.ts";

type Cell = string | number | undefined;

/** One line per innermost group; one line in total without groups. */
export function* reportCsv(summary: CostSummary): Generator<string> {
  const groups = summary.groupBy ?? [];
  yield csvLine([...groups, "usd", "kind", "requests", "sessions", ...TOKEN_COLUMNS]);
  if (groups.length > 0) yield* leaves(summary.breakdowns, groups, []);
  else yield csvLine(figures({ ...summary, kind: weakestKind(summary) }));
}

const TOKEN_COLUMNS = [
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "thinking_tokens",
];

function* leaves(
  breakdowns: Record<string, CostBreakdown> | undefined,
  groups: readonly string[],
  keys: readonly string[],
): Generator<string> {
  for (const group of inOrder(breakdowns, groups[keys.length])) {
    const path = [...keys, group.key];
    if (group.breakdowns) yield* leaves(group.breakdowns, groups, path);
    else yield csvLine([...path, ...figures(group)]);
  }
}

type Figures = Omit<CostBreakdown, "key" | "breakdowns">;

function figures(group: Figures): Cell[] {
  return [group.totalUsd, group.kind, group.requestCount, group.sessionCount, ...tokens(group)];
}

function tokens(counts: Omit<Figures, "totalUsd" | "kind" | "requestCount" | "sessionCount">): Cell[] {
  return [
    counts.inputTokens,
    counts.cachedTokens,
    counts.cacheWriteTokens,
    counts.cacheWrite1hTokens,
    counts.outputTokens,
    counts.thinkingTokens,
  ];
}

/** One line per request, then one per dropped copy; with machines if several were asked. */
export function* explanationCsv(
  { requests, dropped }: CostExplanation,
  where?: (held: CostRequest | DroppedRequest) => string,
): Generator<string> {
  const placed = (held: CostRequest | DroppedRequest): Cell[] => (where === undefined ? [] : [where(held)]);
  yield csvLine([...EXPLANATION_COLUMNS, ...(where === undefined ? [] : ["machines"])]);
  for (const request of requests) yield csvLine([...requestCells(request), ...placed(request)]);
  for (const copy of dropped) yield csvLine([...copyCells(copy), ...placed(copy)]);
}

const EXPLANATION_COLUMNS = [
  "timestamp",
  "session",
  "subagent",
  "model",
  "project",
  "branch",
  "usd",
  "kind",
  "price_model",
  "input_price",
  "output_price",
  "tier",
  "multiplier",
  "note",
  "key",
  "billed_to",
  ...TOKEN_COLUMNS,
];

function requestCells(request: CostRequest): Cell[] {
  const { price } = request;
  return [
    request.timestamp?.toISOString(),
    request.session,
    request.subagent,
    request.model,
    request.cwd,
    request.branch,
    request.usd,
    request.kind,
    price?.model,
    price?.input,
    price?.output,
    price?.tier,
    price?.multiplier,
    request.note,
    request.key,
    request.session,
    ...tokens(request),
  ];
}

function copyCells({ timestamp, session, model, key, owner }: DroppedRequest): Cell[] {
  const cells = new Map<string, Cell>([
    ["timestamp", timestamp?.toISOString()],
    ["session", session],
    ["model", model],
    ["kind", "dropped"],
    ["note", "a copy of a request of another session"],
    ["key", key],
    ["billed_to", owner],
  ]);
  return EXPLANATION_COLUMNS.map((column) => cells.get(column));
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  // It may be printed on a terminal, which interprets control characters.
  const printable = withoutControls(value);
  // A spreadsheet would run a tag that looks like a formula.
  const text = /^[=+\-@\t\n]/.test(printable) ? `'${printable}` : printable;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
