/** Exports cost figures as CSV. */
import type { Wire } from "../../client/daemon-api.ts";
import type { CostBreakdown, CostKind, CostRequest } from "../../core/cost.ts";

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
  const lines = rows.map((row) =>
    [
      cell(row.key),
      ...COLUMNS.map((column) =>
        column === "totalUsd" && isUnknown(row.kind, row.totalUsd) ? "" : String(row[column]),
      ),
    ].join(","),
  );
  return `${[group, ...COLUMNS].join(",")}\n${lines.join("\n")}\n`;
}

const REQUEST_COLUMNS = [
  "timestamp",
  "agent",
  "session",
  "model",
  "cwd",
  "kind",
  "usd",
  "inputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "outputTokens",
  "thinkingTokens",
] as const;

/** One line per request. */
export function requestsCsv(requests: readonly Wire<CostRequest>[]): string {
  const lines = requests.map((request) =>
    REQUEST_COLUMNS.map((column) => {
      if (column === "usd" && isUnknown(request.kind, request.usd)) return "";
      return cell(String(request[column] ?? ""));
    }).join(","),
  );
  return `${REQUEST_COLUMNS.join(",")}\n${lines.join("\n")}\n`;
}

/** An unknown cost is an empty cell, not zero. */
function isUnknown(kind: CostKind, usd: number): boolean {
  return usd === 0 && (kind === "unknown" || kind === "unpriced");
}

/** Prevents a spreadsheet from running a name as a formula. */
export function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function download(name: string, text: string, type = "text/csv"): void {
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([text], { type }));
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
