/**
 * The growth point of a thread: its last prompt. A prompt begins a turn, and earlier records do not affect the messages after it,
 * except for tools that were called before and answer later.
 */
import type { GrowthPoint } from "../adapter.ts";
import { isCall, isOutput, KIND } from "./format.ts";
import { callIdOf, toolCallOf } from "./format-items.ts";
import { promptText } from "./prompt-text.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { ThreadScan } from "./thread-scan.ts";
import { entriesFrom, type ThreadPoint } from "./thread-stream.ts";

/** For a thread in a single file that was scanned to its end. */
export function growthPointOf(scan: ThreadScan, threadId: string): GrowthPoint | undefined {
  const prompt = scan.lastPrompt;
  if (prompt === undefined || scan.prompts !== "events") return undefined;
  const { message, entry } = prompt;
  const { offset, number, model, inherited, ofSubagent, ancestors } = entry;
  if (inherited || ofSubagent || ancestors.length > 0) return undefined;
  const state: ThreadPoint = {
    offset,
    number,
    threadId: scan.threadId ?? threadId,
    ...(model === undefined ? {} : { model }),
  };
  return { message, offset, state };
}

/** Records that rewind turns, or begin another thread's history. */
const CHANGES_PAST: ReadonlySet<string> = new Set([KIND.header, KIND.rolledBack]);

/** The rest of a thread, if it begins with a prompt and is independent of the earlier part. */
export function scanFrom(file: RolloutFile, point: ThreadPoint): ThreadScan | undefined {
  const scan = new ThreadScan("events");
  const calls = new Set<string>();
  for (const entry of entriesFrom(file, point)) {
    const { record, number } = entry;
    if (number === point.number && promptText(entry, "events") === undefined) return undefined;
    if (CHANGES_PAST.has(record.type)) return undefined;
    if (isCall(record.type)) calls.add(toolCallOf(record.type, record.payload, number).toolCallId);
    else if (isOutput(record.type) && !calls.has(callIdOf(record.payload) ?? "")) return undefined;
    scan.take(entry);
  }
  scan.end();
  return scan.recordCount > 0 ? scan : undefined;
}
