/** Converts records of a transcript to messages. */
import type { TokenUsage } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import {
  blocksOf,
  imagesOf,
  isBranched,
  modelOf,
  outputOf,
  textIn,
  timeOf,
  toldDuration,
  usageOf,
  type Block,
  type ClaudeRecord,
} from "./format.ts";
import { textOfUser, type RecordKind } from "./record.ts";

/** The record that answers a tool call. */
export type ToolResultOf = (callId: string) => ClaudeRecord | undefined;

export function buildUser(record: ClaudeRecord, kind: RecordKind): SessionMessage {
  const content = kind === "error" ? textIn(blocksOf(record)) : textOfUser(record);
  const isPrompt = kind === "prompt";
  return { role: isPrompt ? "user" : "system", content, ...(isPrompt ? imagesOf(record) : {}), ...stamp(record) };
}

/** All records of one reply: their blocks in order make one message. */
export function buildReply(records: readonly ClaudeRecord[], resultOf: ToolResultOf): SessionMessage {
  const texts: string[] = [];
  const thinking: string[] = [];
  const toolCalls: SessionToolCall[] = [];
  const callIds = new Set<string>();
  let usage: TokenUsage | undefined;
  for (const record of records) {
    usage = largerUsage(usage, record);
    for (const block of blocksOf(record)) {
      if (block.kind === "text") texts.push(block.text);
      else if (block.kind === "thinking") thinking.push(block.text);
      // A call may be in two records of a reply.
      else if (block.kind === "call" && !(block.id && callIds.has(block.id))) {
        if (block.id) callIds.add(block.id);
        toolCalls.push(buildCall(block, record, resultOf));
      }
    }
  }
  const first = records[0]!;
  const model = modelOf(first);
  return {
    role: "assistant",
    content: texts.join("\n\n"),
    ...stamp(first),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thinking.length > 0 ? { thinking: thinking.join("\n\n") } : {}),
    ...(usage ? { tokenUsage: usage } : {}),
    ...(model !== undefined ? { model } : {}),
  };
}

function buildCall(block: Block & { kind: "call" }, record: ClaudeRecord, resultOf: ToolResultOf): SessionToolCall {
  const toolCallId = block.id ?? "";
  const call: SessionToolCall = { toolCallId, toolName: block.tool, input: block.input };
  const result = resultOf(toolCallId);
  const answer = result && resultsIn(result).find((candidate) => candidate.callId === toolCallId);
  if (!result || !answer) return call;
  call.output = outputOf(answer.content);
  if (answer.isError) call.isError = true;
  const durationMs = toldDuration(result) ?? durationBetween(record, result);
  if (durationMs !== undefined) call.durationMs = durationMs;
  return call;
}

function resultsIn(record: ClaudeRecord): (Block & { kind: "result" })[] {
  return blocksOf(record).filter((block) => block.kind === "result");
}

/** One message per result; one record may answer parallel calls. */
export function* buildToolResults(record: ClaudeRecord, nameOf: (callId: string) => string): Generator<SessionMessage> {
  for (const { callId, content, isError } of resultsIn(record)) {
    const output = outputOf(content);
    yield {
      role: "tool",
      content: typeof output === "string" ? output : jsonText(output),
      ...stamp(record),
      toolResult: { toolCallId: callId, toolName: nameOf(callId), output, ...(isError ? { isError: true } : {}) },
    };
  }
}

function largerUsage(known: TokenUsage | undefined, record: ClaudeRecord): TokenUsage | undefined {
  const tokens = usageOf(record)?.tokens;
  if (tokens === undefined || (known && known.outputTokens >= tokens.output)) return known;
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens: tokens.cacheWrite1h,
    ...(tokens.thinking > 0 ? { thinkingTokens: tokens.thinking } : {}),
  };
}

function stamp(record: ClaudeRecord): Pick<SessionMessage, "timestamp" | "inherited"> {
  const at = timeOf(record);
  return {
    ...(at !== undefined ? { timestamp: new Date(at) } : {}),
    ...(isBranched(record) ? { inherited: true } : {}),
  };
}

function durationBetween(call: ClaudeRecord, result: ClaudeRecord): number | undefined {
  const from = timeOf(call);
  const to = timeOf(result);
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
