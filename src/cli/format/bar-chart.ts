/** Cost by day as a bar chart for a terminal. Days without cost are shown; many days share a column. */
import type { CostSummary } from "../../core/cost.ts";
import type { Output } from "../output.ts";
import { money } from "./figures.ts";

const HEIGHT = 8;
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const DAY_MS = 86_400_000;
const MAX_COLUMN_WIDTH = 6;
const LABEL_GAP = 4;
/** Enough for $999,999. */
const AXIS_WIDTH = 8;

/** Nothing without a terminal, unless grouped by day first, or with too few days. */
export function dayChart({ groupBy, breakdowns = {} }: CostSummary, output: Output): string[] {
  if (!output.isTerminal || groupBy?.[0] !== "day") return [];
  const costs = new Map(Object.values(breakdowns).map(({ key, totalUsd }) => [key, totalUsd]));
  costs.delete("(no date)");
  const days = everyDay([...costs.keys()]);
  if (days.length < 2) return [];

  const room = output.width - AXIS_WIDTH - 3;
  const daysPerColumn = Math.ceil(days.length / room);
  const columns = chunk(days, daysPerColumn).map((some) => ({
    day: some[0]!,
    usd: some.reduce((sum, day) => sum + Math.max(0, costs.get(day) ?? 0), 0),
  }));
  const width = Math.max(1, Math.min(MAX_COLUMN_WIDTH, Math.floor(room / columns.length)));
  const top = Math.max(...columns.map(({ usd }) => usd));
  if (top === 0) return [];

  const lines = Array.from({ length: HEIGHT }, (_, index) => {
    const row = HEIGHT - 1 - index;
    const bars = columns.map(({ usd }) => bar((usd / top) * HEIGHT - row, width)).join("");
    const label = row === HEIGHT - 1 ? money(top) : row === HEIGHT / 2 - 1 ? money(top / 2) : "";
    return `${output.style("dim", `${label.padStart(AXIS_WIDTH)} │`)} ${output.style("cyan", bars.trimEnd())}`;
  });
  const margin = " ".repeat(AXIS_WIDTH + 3);
  const note = daysPerColumn > 1 ? ` (${daysPerColumn} days each)` : "";
  return [...lines, output.style("dim", margin + dates(columns, width).trimEnd() + note), ""];
}

/** One row of a bar; wide bars have a gap. */
function bar(height: number, width: number): string {
  const eighths = Math.max(0, Math.min(8, Math.round(height * 8)));
  const filled = width > 2 ? width - 1 : width;
  return EIGHTHS[eighths]!.repeat(filled) + " ".repeat(width - filled);
}

function everyDay(known: readonly string[]): string[] {
  const sorted = [...known].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const days: string[] = [];
  for (let ms = Date.parse(first); ms <= Date.parse(last); ms += DAY_MS)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

function chunk(days: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(days.length / size) }, (_, index) =>
    days.slice(index * size, (index + 1) * size),
  );
}

/** As many dates as fit, each below its bar. */
function dates(columns: readonly { day: string }[], width: number): string {
  let line = "";
  columns.forEach(({ day }, index) => {
    const start = index * width;
    if (index === 0 || start >= line.length + LABEL_GAP) line = line.padEnd(start) + day;
  });
  return line;
}
