/**
 * Forks at a message: a chat file that ends there, which `--session-file` imports. It contains what Gemini CLI itself would
 * remember: the messages since the last compression.
 */
import type { ForkAt } from "../adapter.ts";
import type { Chat } from "./chat.ts";
import { forkHeader } from "./format.ts";
import { rowsUpTo } from "./message.ts";

export const forkAt: ForkAt = {
  fileName: ({ sessionId }) => `session-${sessionId}.jsonl`,
  open: ({ file }) => ["gemini", "--session-file", file],
};

export function* copyUpTo({ replay, records }: Chat, last: number, at: Date): Generator<string> {
  const rows = rowsUpTo(replay.view(), last);
  const { projectHash, startMs } = replay.header;
  const startTime = (startMs === undefined ? at : new Date(startMs)).toISOString();
  yield line(forkHeader(projectHash, startTime, at.toISOString()));
  const summary = rows.findLastIndex((row) => row.kind === "summary");
  for (const record of records(rows.slice(Math.max(summary, 0)))) yield line(record);
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
