/** Reads a whole session: its transcript, its sub-agents' transcripts, its bill. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import type { AgentEnv, ReportedTotal, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { agentIdOf, Bill, settle } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { copyUpTo } from "./fork-at.ts";
import { subagentMeta, subagentOf } from "./format.ts";
import { HeadBuilder } from "./head.ts";
import { Transcript, type TranscriptOptions } from "./transcript.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export function read(
  source: SessionSource,
  _env: AgentEnv,
  notes: ReadNotes,
  what: "all" | "text" = "all",
): SessionReader | undefined {
  const session = openSession(source, notes, what);
  if (session === undefined) return undefined;
  const { transcript, head, usage, reportedTotals } = session;
  const locator = source.locator as ClaudeLocator;
  return {
    head,
    messages: () => withInherited(transcript.messages(what === "all"), copiedUntil(head, usage)),
    aside: () => transcript.aside(),
    counts: () => transcript.conversation.counts(),
    usage: () => usage,
    ...(reportedTotals.length > 0 ? { reportedTotals: () => reportedTotals } : {}),
    subagents: () => [...subagentsIn(locator.subagents, notes), ...inlineSubagents(transcript)],
    copyUpTo: (last, { id }) => copyUpTo(transcript, last, source.sessionId, id),
    raw: () => [source.path, ...locator.subagents].map((path) => ({ path, records: [...recordsIn(path)] })),
  };
}

interface OpenSession {
  transcript: Transcript;
  head: SessionHead;
  usage: UsageRecord[];
  reportedTotals: ReportedTotal[];
}

function openSession(source: SessionSource, notes: ReadNotes, what: "all" | "text"): OpenSession | undefined {
  const builder = new HeadBuilder();
  const bill = new Bill(source.sessionId);
  const transcript = openTranscript(source.path, notes, {
    onRecord(record) {
      // Unbilled sessions are read only until a conversation is found.
      if (what === "all" || !builder.hasConversation) builder.see(record);
      if (what === "all") bill.see(record);
    },
  });
  if (!transcript.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!builder.hasConversation) return undefined;
  const head = builder.build(source);
  if (what === "text") return { transcript, head, usage: [], reportedTotals: [] };
  for (const path of (source.locator as ClaudeLocator).subagents) bill.addSubagentFile(path, notes);
  const { usage, reportedTotals } = settle(bill, head.startedMs);
  return { transcript, head, usage: [...usage], reportedTotals };
}

function openTranscript(path: string, notes: ReadNotes, options: TranscriptOptions): Transcript {
  try {
    return new Transcript(path, notes, options);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${path} is gone.`, { cause: error });
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${code}).`, { cause: error });
  }
}

/**
 * The time up to which this file's records are copies. --fork-session keeps the old dates, and the file is younger; an old resume
 * dates its copies anew, at once, before its own records.
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

function subagentsIn(paths: readonly string[], notes: ReadNotes): SubagentTranscript[] {
  return paths.flatMap((path) => {
    const transcript = subagentTranscript(path, notes);
    if (transcript === undefined) return [];
    const { label, callId } = subagentMeta(metaOf(path));
    return [describe(agentIdOf(path), [...transcript.messages()], label, callId)];
  });
}

/** Undefined if it cannot be read, which is noted. */
function subagentTranscript(path: string, notes: ReadNotes): Transcript | undefined {
  try {
    return new Transcript(path, notes, { subagentFile: true });
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
}

function inlineSubagents(transcript: Transcript): SubagentTranscript[] {
  let number = 0;
  return [...transcript.sidechains()].map(({ first, messages }) =>
    describe(subagentOf(first) ?? `sidechain-${++number}`, messages, undefined, undefined),
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

function metaOf(path: string): unknown {
  try {
    return JSON.parse(readText(path.replace(/\.jsonl$/, ".meta.json")));
  } catch {
    // Only the newest versions write it.
    return undefined;
  }
}

function* recordsIn(path: string): Generator<unknown> {
  for (const line of readLines(path)) yield parseRecord(line.bytes) ?? { unreadable: line.bytes.toString("utf8") };
}
