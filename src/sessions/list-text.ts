/** A list of sessions as the JSON text that is printed, and back. */
import type { SessionSummary } from "../core/session.ts";
import { jsonText } from "../lib/json.ts";
import { printableJson } from "../lib/text.ts";

/** Megabytes, for thousands of rows: whoever adds to it makes a copy. */
export function listTextOf(rows: readonly SessionSummary[]): string {
  return printableJson(jsonText(rows, 2));
}

export function rowsIn(text: string | Buffer): SessionSummary[] {
  const rows = JSON.parse(String(text)) as SessionSummary[];
  for (const row of rows) {
    row.createdAt = new Date(row.createdAt);
    row.updatedAt = new Date(row.updatedAt);
  }
  return rows;
}
