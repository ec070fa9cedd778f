/** Records of a transcript as messages. */
import type { SessionMessage, SessionToolCall, TokenUsage } from "../../core/session.ts";
import { jsonText } from "../../lib/json.ts";
import { asArray, asObject, asObjects, asString, asText, type Json } from "../../lib/fields.ts";
import { picturesOf } from "../shared/pictures.ts";
import { blocksOf, isCall, modelOf, textOfUser, timeOf, type RecordKind } from "./record.ts";
import { tokensOf } from "./usage.ts";

/** The record that answers a tool call. */
export type ToolResultOf = (callId: string) => Json | undefined;

export function buildUser(record: Json, kind: RecordKind): SessionMessage {
  const role = kind === "prompt" ? "user" : "system";
  const pictures = kind === "prompt" ? picturesOf(asObject(record["message"])?.["content"]) : {};
  const content = kind === "error" ? textBlocks(blocksOf(record)) : textOfUser(record);
  return { role, content, ...pictures, ...stamp(record) };
}

/** All records of one reply: their blocks in order make one message. */
export function buildReply(records: readonly Json[], resultOf: ToolResultOf): SessionMessage {
  const texts: string[] = [];
  const thinking: string[] = [];
  const toolCalls: SessionToolCall[] = [];
  let usage: TokenUsage | undefined;
  for (const record of records) {
    usage = largerUsage(usage, record);
    for (const block of blocksOf(record)) {
      const text = asString(block["text"]);
      if (block["type"] === "text" && text !== undefined) texts.push(text);
      else if (block["type"] === "thinking") thinking.push(asString(block["thinking"]) ?? "");
      else if (block["type"] === "redacted_thinking") thinking.push("[redacted]");
      else if (isCall(block) && !isRepeated(block, toolCalls)) toolCalls.push(buildCall(block, record, resultOf));
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

/** A call may stand in two records of a reply. */
function isRepeated(block: Json, calls: readonly SessionToolCall[]): boolean {
  const id = asText(block["id"]);
  return id !== undefined && calls.some((call) => call.toolCallId === id);
}

function buildCall(block: Json, record: Json, resultOf: ToolResultOf): SessionToolCall {
  const toolCallId = asText(block["id"]) ?? "";
  const call: SessionToolCall = { toolCallId, toolName: asText(block["name"]) ?? "", input: block["input"] };
  const result = resultOf(toolCallId);
  const answer = result && blocksOf(result).find((candidate) => candidate["tool_use_id"] === toolCallId);
  if (!result || !answer) return call;
  call.output = outputOf(answer);
  if (answer["is_error"] === true) call.isError = true;
  const durationMs = durationBetween(record, result);
  if (durationMs !== undefined) call.durationMs = durationMs;
  return call;
}

/** One message for each result; parallel calls may be answered in one record. */
export function* buildToolResults(record: Json, nameOf: (callId: string) => string): Generator<SessionMessage> {
  for (const block of blocksOf(record)) {
    const toolCallId = asText(block["tool_use_id"]);
    if (toolCallId === undefined) continue;
    const output = outputOf(block);
    yield {
      role: "tool",
      content: typeof output === "string" ? output : jsonText(output),
      ...stamp(record),
      toolResult: {
        toolCallId,
        toolName: nameOf(toolCallId),
        output,
        ...(block["is_error"] === true ? { isError: true } : {}),
      },
    };
  }
}

/** Text where the result is only text, else the blocks as they are (images). */
function outputOf(block: Json): unknown {
  const content = block["content"];
  if (content === undefined) return "";
  const blocks = asArray(content);
  if (blocks === undefined) return content;
  return blocks.every((item) => asObject(item)?.["type"] === "text") ? textBlocks(asObjects(blocks)) : blocks;
}

function textBlocks(blocks: readonly Json[]): string {
  return blocks.flatMap((block) => asString(block["text"]) ?? []).join("\n");
}

function largerUsage(known: TokenUsage | undefined, record: Json): TokenUsage | undefined {
  const usage = asObject(asObject(record["message"])?.["usage"]);
  if (usage === undefined || modelOf(record) === undefined) return known;
  const tokens = tokensOf(usage);
  if (known && known.outputTokens >= tokens.output) return known;
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens: tokens.cacheWrite1h,
    ...(tokens.thinking > 0 ? { thinkingTokens: tokens.thinking } : {}),
  };
}

function stamp(record: Json): Pick<SessionMessage, "timestamp" | "inherited"> {
  const at = timeOf(record);
  return {
    ...(at !== undefined ? { timestamp: new Date(at) } : {}),
    ...(record["forkedFrom"] !== undefined ? { inherited: true } : {}),
  };
}

/** Time between a call and its result. */
function durationBetween(call: Json, result: Json): number | undefined {
  const structured = asObject(result["toolUseResult"]);
  const told = structured?.["durationMs"] ?? structured?.["totalDurationMs"];
  if (typeof told === "number" && told >= 0) return told;
  const from = timeOf(call);
  const to = timeOf(result);
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
