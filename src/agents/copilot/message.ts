/** Converts events to messages. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { CopilotEvent, Saying } from "./format.ts";
import { tokenUsage, type RequestTokens } from "./tokens.ts";

export type EntryKind = "prompt" | "reply" | "result" | "notice";

/** The kind of entry; undefined if the event is not part of the conversation. */
export function kindOf({ said }: CopilotEvent): EntryKind | undefined {
  switch (said?.kind) {
    case "prompt":
    case "reply":
    case "notice":
      return said.kind;
    case "result":
      return said.callId === undefined || said.isUsers ? undefined : "result";
    case "compaction":
      return said.summary === undefined ? undefined : "notice";
    default:
      return undefined;
  }
}

/** A finished call, with what other events add to it. */
export interface FinishedCall {
  name: string | undefined;
  result: Saying<"result"> | undefined;
  durationMs: number | undefined;
}

export function buildReply(
  { text, thinking, model, calls }: Saying<"reply">,
  sessionModel: string | undefined,
  tokens: RequestTokens | undefined,
  callOf: (callId: string) => FinishedCall,
): SessionMessage {
  return {
    role: "assistant",
    content: text,
    ...optional("thinking", thinking),
    ...optional("model", model ?? sessionModel),
    ...optional("tokenUsage", tokens && tokenUsage(tokens)),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map((call) => buildCall(call, callOf(call.id))) }),
  };
}

function buildCall(requested: Saying<"reply">["calls"][number], finished: FinishedCall): SessionToolCall {
  const { name, result, durationMs } = finished;
  const call = { toolCallId: requested.id, toolName: requested.name ?? name ?? "", input: requested.input };
  if (result === undefined) return call;
  return {
    ...call,
    output: result.output,
    ...optional("durationMs", durationMs),
    ...(result.failed ? { isError: true } : {}),
  };
}

export function buildResult(
  { callId, output, failed }: Saying<"result">,
  toolName: string | undefined,
): SessionMessage {
  const toolResult = { toolCallId: callId ?? "", toolName: toolName ?? "", output };
  return { role: "tool", content: output, toolResult: failed ? { ...toolResult, isError: true } : toolResult };
}
