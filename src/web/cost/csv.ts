/** Figures for a spreadsheet. */
import type { CostBreakdown } from "../../core/cost.ts";

const COLUMNS = [
  "totalUsd",
  "kind",
  "requestCount",
  "sessionCount",
  "inputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "outputTokens",
  "thinkingTokens",
] as const;

export function csvOf(group: string, rows: readonly CostBreakdown[]): string {
  const lines = rows.map((row) => [cell(row.key), ...COLUMNS.map((column) => String(row[column]))].join(","));
  return `${[group, ...COLUMNS].join(",")}\n${lines.join("\n")}\n`;
}

/** A spreadsheet must take a name for a name, whatever it begins with. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
