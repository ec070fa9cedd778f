/** Messages out of events. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { CopilotEvent } from "./event.ts";
import { tokenUsage, type RequestTokens } from "./tokens.ts";

export type EntryKind = "prompt" | "reply" | "result" | "notice";

/** What an event is to a reader; undefined when it is not part of the conversation. */
export function kindOf({ type, data, subagent }: CopilotEvent): EntryKind | undefined {
  switch (type) {
    case "user.message":
      return isTyped(data, subagent) ? "prompt" : undefined;
    case "assistant.message":
      return "reply";
    case "tool.execution_complete":
      // A command the user ran with "!": the model did not ask for it.
      return asText(data["toolCallId"]) === undefined || data["isUserRequested"] === true ? undefined : "result";
    case "session.error":
    case "abort":
      return "notice";
    case "session.compaction_complete":
      return asText(data["summaryContent"]) === undefined ? undefined : "notice";
    default:
      return undefined;
  }
}

/**
 * Prompts of hooks, skills and the like have a source (those of skills not always); those a sub-agent gets from its parent
 * are its prompts.
 */
function isTyped(data: Json, subagent: string | undefined): boolean {
  const source = asText(data["source"]);
  const content = asText(data["content"]);
  if (content === undefined || content.startsWith("<skill-context")) return false;
  return subagent !== undefined || source === undefined || source === "user";
}

/** A finished call, as far as other events tell of it. */
export interface FinishedCall {
  name: string | undefined;
  result: CopilotEvent | undefined;
  durationMs: number | undefined;
}

export function buildPrompt(event: CopilotEvent): SessionMessage {
  return { role: "user", content: asString(event.data["content"]) ?? "" };
}

export function buildReply(
  { data }: CopilotEvent,
  model: string | undefined,
  tokens: RequestTokens | undefined,
  callOf: (callId: string) => FinishedCall,
): SessionMessage {
  const requests = asObjects(data["toolRequests"]);
  return {
    role: "assistant",
    content: asString(data["content"]) ?? "",
    ...optional("thinking", asText(data["reasoningText"])),
    ...optional("model", asText(data["model"]) ?? model),
    ...optional("tokenUsage", tokens && tokenUsage(tokens)),
    ...(requests.length === 0 ? {} : { toolCalls: requests.map((request) => buildCall(request, callOf)) }),
  };
}

function buildCall(request: Json, callOf: (callId: string) => FinishedCall): SessionToolCall {
  const toolCallId = asText(request["toolCallId"]) ?? "";
  const { name, result, durationMs } = callOf(toolCallId);
  const call: SessionToolCall = {
    toolCallId,
    toolName: asText(request["name"]) ?? name ?? "",
    input: request["arguments"],
  };
  if (result === undefined) return call;
  call.output = outputOf(result.data);
  if (durationMs !== undefined) call.durationMs = durationMs;
  if (result.data["success"] === false) call.isError = true;
  return call;
}

export function buildResult({ data }: CopilotEvent, toolName: string | undefined): SessionMessage {
  const output = outputOf(data);
  const message: SessionMessage = {
    role: "tool",
    content: output,
    toolResult: { toolCallId: asText(data["toolCallId"]) ?? "", toolName: toolName ?? "", output },
  };
  // A shell command that exits with 3 is a success here: the call worked.
  if (data["success"] === false) message.toolResult!.isError = true;
  return message;
}

function outputOf(data: Json): string {
  const result = asObject(data["result"]);
  const error = asObject(data["error"]);
  return (
    asText(result?.["content"]) ??
    asText(result?.["detailedContent"]) ??
    asText(error?.["message"]) ??
    asString(data["result"]) ??
    asString(data["error"]) ??
    ""
  );
}

export function buildNotice({ type, data }: CopilotEvent): SessionMessage {
  if (type === "abort") {
    return { role: "system", content: `Interrupted (${asText(data["reason"]) ?? "no reason given"}).` };
  }
  return { role: "system", content: asText(data["summaryContent"]) ?? asText(data["message"]) ?? "Error." };
}
