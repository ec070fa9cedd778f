/** Support for the message index: a session's messages with their offsets, and messages from offsets alone. */
import type { SessionMessage } from "../../core/session.ts";
import { parseRecord, trim } from "../../lib/json/jsonl.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { SessionTexts } from "../text-message.ts";
import { agentIdOf } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import type { ClaudeRecord } from "./format.ts";
import { buildReply, buildToolResults, buildUser } from "./message.ts";
import { kindOf } from "./record.ts";
import { growthPointOf, openText, subagentTranscript } from "./session.ts";
import type { PlacedMessage, Transcript } from "./transcript.ts";

/** Undefined if the session must be read. */
export function texts(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionTexts | undefined {
  const transcript = openText(source, notes);
  // A transcript with side-chains is an old one; the full reader divides it.
  if (transcript === undefined || transcript.conversation.hasSidechains) return undefined;
  return {
    messages: () => textsIn(transcript),
    *subagents() {
      for (const path of (source.locator as ClaudeLocator).subagents) {
        const helper = subagentTranscript(path, notes);
        if (helper) yield { id: agentIdOf(path), messages: textsIn(helper) };
      }
    },
    growthPoint: () => growthPointOf(transcript.conversation),
  };
}

function* textsIn(transcript: Transcript): ReturnType<SessionTexts["messages"]> & Generator {
  for (const { message, starts } of transcript.placed() as Iterable<PlacedMessage>)
    yield { message, spot: { path: transcript.path, starts, tool: message.toolResult?.toolName } };
}

/** Messages from their own records only. */
export function rebuild(_source: SessionSource, file: Buffer, starts: readonly number[]): SessionMessage[] {
  const records: ClaudeRecord[] = [];
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

function recordAt(file: Buffer, start: number): ClaudeRecord | undefined {
  const found = file.indexOf(LINE_FEED, start);
  const end = found === -1 ? file.length : found;
  return parseRecord(trim(file.subarray(start, end), false));
}

const LINE_FEED = 10;
