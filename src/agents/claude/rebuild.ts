/** Messages from their own records and nothing else, where these lie. */
import type { SessionMessage } from "../../core/session.ts";
import { parseRecord, recordIn, trim } from "../../lib/jsonl.ts";
import { utf8Text } from "../../lib/text-of-bytes.ts";
import type { Json } from "../../lib/fields.ts";
import type { SessionSource } from "../adapter.ts";
import { buildReply, buildToolResults, buildUser } from "./message.ts";
import { quickMessage } from "./quick-message.ts";
import { kindOf } from "./record.ts";

export function rebuild(_source: SessionSource, file: Buffer, starts: readonly number[]): SessionMessage[] {
  const records: Json[] = [];
  for (const start of starts) {
    const record = recordAt(file, start);
    if (record === undefined) return [];
    records.push(record);
  }
  if (records.length === 0) return [];
  const quick = quickMessage(records);
  return quick ? [quick] : rebuildSlowly(records);
}

/** As every other reader does; at least one record. */
export function rebuildSlowly(records: readonly Json[]): SessionMessage[] {
  const first = records[0]!;
  const kind = kindOf(first);
  if (kind === "reply") return [buildReply(records, () => undefined)];
  return kind === "tool-result" ? [...buildToolResults(first, () => "")] : [buildUser(first, kind)];
}

function recordAt(file: Buffer, start: number): Json | undefined {
  const found = file.indexOf(LINE_FEED, start);
  const end = found === -1 ? file.length : found;
  // Mostly there is nothing around it.
  if (file[start] === BRACE && file[end - 1] === END_BRACE) return recordIn(utf8Text(file, start, end));
  return parseRecord(trim(file.subarray(start, end), false));
}

const LINE_FEED = 10;
const BRACE = 123;
const END_BRACE = 125;
