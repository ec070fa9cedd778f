/** A list of sessions as the JSON text that is printed, and back. */
import type { RowPieces } from "../agents/packed-rows.ts";
import type { CostRecord } from "../core/cost.ts";
import type { SessionSummary } from "../core/session.ts";
import { jsonText } from "../lib/json.ts";
import { printableJson } from "../lib/text.ts";

/** Megabytes, for thousands of rows: whoever adds to it makes a copy. */
export function listTextOf(rows: readonly SessionSummary[]): string {
  return printableJson(jsonText(rows, 2));
}

export const LIST_START = "[";
export const LIST_END = "\n]";
export const ROW_END = "\n  }";

/** One row of it, behind another one. */
export function rowText(row: SessionSummary): string {
  return `,${listTextOf([row]).slice(LIST_START.length, -LIST_END.length)}`;
}

/** What stands between the values of such a row. */
export function rowPieces(agent: string): RowPieces {
  const next = (key: string): string => `,\n    "${key}": `;
  return {
    agentAndId: `,\n  {\n    "agent": "${agent}"${next("sessionId")}"`,
    unifiedId: `"${next("unifiedId")}"${agent}:`,
    title: `"${next("title")}"`,
    createdAt: `"${next("createdAt")}"`,
    updatedAt: `"${next("updatedAt")}"`,
    counts: `"${next("turnCount")}0${next("messageCount")}0${next("tags")}[]`,
    model: `${next("model")}"`,
    cwd: `${next("cwd")}"`,
    forkedFrom: `${next("forkedFrom")}"`,
    parentId: `${next("parentId")}"`,
    branch: `${next("branch")}"`,
    agentVersion: `${next("agentVersion")}"`,
    archived: `${next("archived")}true`,
    partial: `${next("partial")}true${ROW_END}`,
    turnCount: `"${next("turnCount")}`,
    messageCount: next("messageCount"),
    tags: `${next("tags")}[]`,
  };
}

/** What a session cost, behind all else that its row says. */
export function costTextOf(cost: CostRecord): string {
  const row = printableJson(jsonText([{ cost }], 2));
  return `,${row.slice(`${LIST_START}\n  {`.length, -`${ROW_END}${LIST_END}`.length)}`;
}

/** What is found out after the row was made stands at its end. */
export function forkedFromText(id: string): string {
  return printableJson(`,\n    "forkedFrom": ${JSON.stringify(id)}`);
}

export function rowsIn(text: string | Buffer): SessionSummary[] {
  const rows = JSON.parse(String(text)) as SessionSummary[];
  for (const row of rows) {
    row.createdAt = new Date(row.createdAt);
    row.updatedAt = new Date(row.updatedAt);
  }
  return rows;
}
