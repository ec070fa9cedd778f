/** A whole session: its transcript, its sub-agents' transcripts, its bill. */
import { readFileSync } from "node:fs";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { codeOf } from "../../lib/directory.ts";
import { asObject, asText, type Json } from "../../lib/fields.ts";
import { parseRecord, readLines } from "../../lib/jsonl.ts";
import type {
  AgentEnv,
  ReportedTotal,
  SessionHead,
  SessionReader,
  SessionSource,
  SessionTally,
  UsageRecord,
} from "../adapter.ts";
import { tallyOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { agentIdOf, Bill, settle } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { HeadBuilder, withoutTitleKeys } from "./head.ts";
import { Transcript } from "./transcript.ts";
import { UsageCollector } from "./usage.ts";

export function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const session = openSession(source, notes);
  if (session === undefined) return undefined;
  const { transcript, head, usage, reportedTotals } = session;
  const locator = source.locator as ClaudeLocator;
  return {
    head,
    messages: () => withInherited(transcript.messages(), copiedUntil(head, usage)),
    counts: () => transcript.counts(),
    usage: () => usage,
    ...(reportedTotals.length > 0 ? { reportedTotals: () => reportedTotals } : {}),
    subagents: () => [...subagentsIn(locator, notes), ...inlineSubagents(transcript)],
    raw: () => [source.path, ...locator.subagents].map((path) => ({ path, records: [...recordsIn(path)] })),
  };
}

/** The tally by parsing every record: slower than `tally.ts`, and what it has to agree with. */
export function tallyByParsing(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionTally | undefined {
  const reader = read(source, env, notes);
  const tally = reader && tallyOf(reader);
  return tally && { ...tally, head: withoutTitleKeys(tally.head) };
}

interface OpenSession {
  transcript: Transcript;
  head: SessionHead;
  usage: UsageRecord[];
  reportedTotals: ReportedTotal[];
}

function openSession(source: SessionSource, notes: ReadNotes): OpenSession | undefined {
  const builder = new HeadBuilder();
  const bill = new Bill(new UsageCollector());
  const transcript = openTranscript(source.path, notes, (record) => {
    builder.see(record);
    bill.see(record);
  });
  if (!builder.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!builder.hasConversation) return undefined;
  const head = builder.build(source);
  for (const path of (source.locator as ClaudeLocator).subagents) bill.addSubagentFile(path, notes);
  const { usage, reportedTotals } = settle(bill, head.startedMs);
  return { transcript, head, usage: [...usage], reportedTotals };
}

function openTranscript(path: string, notes: ReadNotes, onRecord: (record: Json) => void): Transcript {
  try {
    return new Transcript(path, notes, { onRecord });
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${path} is gone.`, { cause: error });
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${code}).`, { cause: error });
  }
}

/**
 * Up to when this file's records are copies: those of --fork-session keep their old dates, and the file itself is
 * younger; those of an old resume are dated anew, in one go, before anything of its own.
 */
function copiedUntil(head: SessionHead, usage: readonly UsageRecord[]): number {
  let until = head.startedMs ?? 0;
  for (const record of usage) if (record.copied && record.at !== undefined) until = Math.max(until, record.at + 1);
  return until;
}

function* withInherited(messages: Iterable<SessionMessage>, until: number): Generator<SessionMessage> {
  for (const message of messages) {
    if (message.timestamp !== undefined && message.timestamp.getTime() < until) message.inherited = true;
    yield message;
  }
}

function subagentsIn(locator: ClaudeLocator, notes: ReadNotes): SubagentTranscript[] {
  return locator.subagents.flatMap((path) => {
    try {
      const messages = [...new Transcript(path, notes, { subagentFile: true }).messages()];
      const meta = metaOf(path);
      const label = asText(meta?.["description"]) ?? asText(meta?.["agentType"]);
      return [describe(agentIdOf(path), messages, label, asText(meta?.["toolUseId"]))];
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
      return [];
    }
  });
}

function inlineSubagents(transcript: Transcript): SubagentTranscript[] {
  let number = 0;
  return [...transcript.sidechains()].map(({ first, messages }) =>
    describe(asText(first["agentId"]) ?? `sidechain-${++number}`, messages, undefined, undefined),
  );
}

function describe(id: string, messages: SessionMessage[], label?: string, toolCallId?: string): SubagentTranscript {
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return {
    id,
    ...(label !== undefined ? { label } : {}),
    ...(toolCallId !== undefined ? { toolCallId } : {}),
    ...(model !== undefined ? { model } : {}),
    messages,
  };
}

function metaOf(path: string): Json | undefined {
  try {
    return asObject(JSON.parse(readFileSync(path.replace(/\.jsonl$/, ".meta.json"), "utf8")));
  } catch {
    // Only the newest versions write it.
    return undefined;
  }
}

function* recordsIn(path: string): Generator<unknown> {
  for (const line of readLines(path)) yield parseRecord(line.bytes) ?? { unreadable: line.bytes.toString("utf8") };
}
