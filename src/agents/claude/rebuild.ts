/** Messages from their own records and nothing else, where these lie. */
import type { SessionMessage } from "../../core/session.ts";
import { parseRecord, trim } from "../../lib/jsonl.ts";
import type { Json } from "../../lib/fields.ts";
import type { SessionSource } from "../adapter.ts";
import { buildReply, buildToolResults, buildUser } from "./message.ts";
import { kindOf } from "./record.ts";

export function rebuild(_source: SessionSource, file: Buffer, starts: readonly number[]): SessionMessage[] {
  const records: Json[] = [];
  for (const start of starts) {
    const record = recordAt(file, start);
    if (record === undefined) return [];
    records.push(record);
  }
  const [first] = records;
  if (first === undefined) return [];
  const kind = kindOf(first);
  if (kind === "reply") return [buildReply(records, () => undefined)];
  return kind === "tool-result" ? [...buildToolResults(first, () => "")] : [buildUser(first, kind)];
}

function recordAt(file: Buffer, start: number): Json | undefined {
  const found = file.indexOf(LINE_FEED, start);
  const end = found === -1 ? file.length : found;
  return parseRecord(trim(file.subarray(start, end), false));
}

const LINE_FEED = 10;
