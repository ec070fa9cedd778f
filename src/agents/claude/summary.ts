/** The summary of a session, from the first and last lines of its transcript. */
import { parseRecord, readEnds, readLines, splitLines, type HeadAndTail } from "../../lib/json/jsonl.ts";
import type { AgentEnv, SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { isChain, timeOf, type ClaudeRecord } from "./format.ts";
import { HeadBuilder } from "./head.ts";

/** The first prompt and reply are usually among the first records. */
const HEAD_BYTES = 8 * 1024;
/** Titles are repeated near the end; otherwise the last reply and what follows it are enough. */
const TAIL_BYTES = 12 * 1024;
/** How far to search for the last dated record if it is very long. */
const LAST_SEARCH_BYTES = 8 * 1024 * 1024;
/** How far to search for the first prompt if large attachments precede it. */
const PROMPT_SEARCH_BYTES = 2 * 1024 * 1024;

export function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  let ends: HeadAndTail<Buffer>;
  try {
    ends = readEnds(source.path, HEAD_BYTES, TAIL_BYTES);
  } catch (error) {
    notes.skip(source.path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
    return undefined;
  }
  const builder = new HeadBuilder();
  seeHead(builder, source.path, ends);
  seeTail(builder, source, ends);
  if (ends.size > 0 && !builder.sawRecord) notes.skip(source.path, "holds no readable record");
  return builder.hasConversation ? builder.build(source, !ends.whole) : undefined;
}

function seeHead(builder: HeadBuilder, path: string, { head, whole }: HeadAndTail<Buffer>): void {
  for (const line of splitLines(head, true)) {
    if (!whole && builder.knowsBeginning) break;
    builder.seeLine(line);
  }
  if (whole || builder.hasPrompt) return;
  for (const line of readLines(path, { to: PROMPT_SEARCH_BYTES })) {
    builder.seePromptOnly(line.bytes);
    if (builder.hasPrompt) return;
  }
}

function seeTail(builder: HeadBuilder, { path, updatedMs }: SessionSource, { tail, whole }: HeadAndTail<Buffer>): void {
  const before = builder.lastMs;
  for (const line of splitLines(tail, false)) builder.seeLine(line);
  if (whole || builder.lastMs !== before) return;
  // The last record is longer than the tail, or only undated ones are there.
  for (let bytes = 8 * TAIL_BYTES; bytes <= LAST_SEARCH_BYTES; bytes *= 8) {
    const further = readEnds(path, HEAD_BYTES, bytes);
    const isAll = further.whole && further.tail.length === 0;
    const last = lastDated(splitLines(isAll ? further.head : further.tail, false));
    if (last !== undefined) builder.see(last);
    if (last !== undefined || further.whole) return;
  }
  builder.seeTime(updatedMs);
}

function lastDated(lines: readonly Buffer[]): ClaudeRecord | undefined {
  for (const line of lines.toReversed()) {
    const record = parseRecord(line);
    if (record && isChain(record) && timeOf(record) !== undefined) return record;
  }
  return undefined;
}
