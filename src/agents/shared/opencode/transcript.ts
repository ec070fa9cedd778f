/** Converts messages and parts to the visible conversation. */
import type { TokenCounts, TokenUsage } from "../../../core/cost.ts";
import type { SessionMessage, SessionToolCall } from "../../../core/session.ts";
import { asText, asTime, wordOf } from "../../../lib/json/fields.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { UsageRecord } from "../../adapter.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { answerMessage, withTimestamp, toolMessage } from "../message-fields.ts";
import type { ForkOrigin } from "./forks.ts";
import {
  completedOf,
  failureOf,
  fileNameOf,
  IGNORED_PARTS,
  isIgnored,
  isSummary,
  isSynthetic,
  kindOf,
  modelOf,
  requestsOf,
  roleOf,
  SHOWN_PARTS,
  startOf,
  stepTokens,
  taskOf,
  textOf,
  toolOf,
  wasCutShort,
} from "./format.ts";
import type { StoredMessage, StoredPart, StoredSession } from "./stored-session.ts";

const KNOWN_PARTS = new Set<unknown>([...IGNORED_PARTS, ...SHOWN_PARTS]);

export function transcriptOf(session: StoredSession, origin: ForkOrigin, notes: ReadNotes): SessionMessage[] {
  const transcript: SessionMessage[] = [];
  for (const message of visibleMessages(session)) {
    noteUnknown(message, notes);
    const inherited = origin.originals.has(message.id);
    for (const item of shownOf(message)) transcript.push(inherited ? { ...item, inherited } : item);
  }
  return transcript;
}

/** The visible messages of a message: none, one, or one with results. */
export function shownOf(message: StoredMessage): SessionMessage[] {
  return roleOf(message) === "user" ? userMessages(message) : assistantMessages(message);
}

/** Omits what an undo hides: the named message and all after it, or the named part and all after it. */
export function visibleMessages({ info, messages }: StoredSession): StoredMessage[] {
  const at = messages.findIndex((message) => message.id === info.undoneFrom?.messageId);
  const cut = messages[at];
  if (cut === undefined) return messages;
  const visible = messages.slice(0, at);
  const partAt = cut.parts.findIndex((part) => part.id === info.undoneFrom?.partId);
  if (partAt > 0) visible.push({ ...cut, parts: cut.parts.slice(0, partAt) });
  return visible;
}

function noteUnknown(message: StoredMessage, notes: ReadNotes): void {
  const role = roleOf(message);
  if (role !== "user" && role !== "assistant") notes.unknown(`message ${wordOf(role)}`);
  for (const part of message.parts) {
    if (!KNOWN_PARTS.has(kindOf(part))) notes.unknown(`part ${wordOf(kindOf(part))}`);
  }
}

function userMessages(message: StoredMessage): SessionMessage[] {
  const content = promptOf(message);
  return content === undefined ? [] : [{ role: "user", content, ...withTimestamp(asTime(message.createdMs)) }];
}

/**
 * The user's own text in a user message. OpenCode also uses user messages for its own text to the model: synthetic
 * parts (attached files, "Continue if you have next steps") and compaction requests.
 */
export function promptOf(message: StoredMessage): string | undefined {
  if (roleOf(message) !== "user") return undefined;
  const ofKind = (kind: string): StoredPart[] => message.parts.filter((part) => kindOf(part) === kind);
  if (ofKind("compaction").length > 0) return undefined;
  const texts = ofKind("text").filter((part) => !isSynthetic(part) && !isIgnored(part));
  // `opencode run` appends a line break to the prompt.
  const text = texts.map(textOf).join("\n").trimEnd();
  if (text !== "") return text;
  const lines = [...ofKind("subtask").map(taskOf), ...ofKind("file").map(fileNameOf)];
  return lines.length === 0 ? undefined : lines.join("\n");
}

function assistantMessages(message: StoredMessage): SessionMessage[] {
  if (roleOf(message) !== "assistant") return [];
  if (isSummary(message)) return [...summary(message), ...failure(message)];
  const steps = stepsOf(message.parts);
  const replies = steps.flatMap((step, index) => {
    const startMs = index === 0 ? message.createdMs : (firstStart(step) ?? message.createdMs);
    return reply(message, step, steps.length === 1, startMs);
  });
  return [...replies, ...failure(message)];
}

/** A step is one model call; before 1.0 a message held all steps up to the final answer. */
function stepsOf(parts: StoredPart[]): StoredPart[][] {
  const steps: StoredPart[][] = [[]];
  for (const part of parts) {
    if (kindOf(part) === "step-start" && steps.at(-1)!.length > 0) steps.push([]);
    steps.at(-1)!.push(part);
  }
  return steps;
}

function reply(message: StoredMessage, step: StoredPart[], onlyStep: boolean, startMs: number): SessionMessage[] {
  const content = joined(step, "text");
  const thinking = joined(step, "reasoning");
  const tools = step.filter((part) => kindOf(part) === "tool").map(toolCall);
  const tokenUsage = tokenUsageOf(stepTokens(message, step, onlyStep));
  if (content === "" && thinking === "" && tools.length === 0 && tokenUsage === undefined) return [];
  const answer = { content, thinking: asText(thinking), toolCalls: tools.map((tool) => tool.call), tokenUsage };
  return [
    answerMessage({ ...answer, model: modelOf(message) }, withTimestamp(asTime(startMs))),
    ...tools.flatMap((tool) => tool.result ?? []),
  ];
}

function joined(parts: StoredPart[], kind: string): string {
  return parts
    .filter((part) => kindOf(part) === kind && !isIgnored(part))
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A call, and its result if there is one. */
function toolCall(part: StoredPart): { call: SessionToolCall; result?: SessionMessage } {
  const { callId, name, input, output, failed, startMs, endMs } = toolOf(part);
  const call: SessionToolCall = { toolCallId: callId, toolName: name, input };
  if (output === undefined) return { call };
  call.output = output;
  if (startMs !== undefined && endMs !== undefined && endMs >= startMs) call.durationMs = endMs - startMs;
  if (failed) call.isError = true;
  const time = withTimestamp(asTime(endMs ?? startMs));
  return { call, result: toolMessage({ toolCallId: callId, toolName: name, output, isError: failed }, time) };
}

function summary(message: StoredMessage): SessionMessage[] {
  const content = joined(message.parts, "text");
  return content === "" ? [] : [{ role: "system", content, ...withTimestamp(asTime(message.createdMs)) }];
}

function failure(message: StoredMessage): SessionMessage[] {
  const error = failureOf(message);
  if (error === undefined) return [];
  const { name, text } = error;
  const content = name === "MessageAbortedError" ? "Interrupted" : text === undefined ? name : `${name}: ${text}`;
  return [{ role: "system", content, ...withTimestamp(asTime(completedOf(message) ?? message.createdMs)) }];
}

function firstStart(parts: StoredPart[]): number | undefined {
  return parts.map(startOf).find((start) => start !== undefined);
}

/** Usage and cost of a session's model calls. */
export function usageOf(session: StoredSession, origin: ForkOrigin): UsageRecord[] {
  const messages = [...session.messages, ...session.removed];
  return messages.flatMap((message) => (roleOf(message) === "assistant" ? recordsOf(message, origin) : []));
}

function recordsOf(message: StoredMessage, origin: ForkOrigin): UsageRecord[] {
  const original = origin.originals.get(message.id);
  const model = modelOf(message);
  const requests = requestsOf(message);
  const records: UsageRecord[] = [];
  for (const [index, { tokens, usd }] of requests.entries()) {
    const used = tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0;
    // Calls that failed, were aborted or were killed are recorded with 0. If an answer had begun, it was billed.
    const lowerBound = !used && usd === 0 && wasCutShort(message);
    if (!used && usd === 0 && !lowerBound) continue;
    const key = original ?? message.id;
    records.push({
      key: requests.length === 1 ? key : `${key}#${index + 1}`,
      tokens,
      ...optional("at", asTime(message.createdMs)),
      ...optional("model", model),
      ...(usd > 0 || (used && isFree(model)) ? { reportedMicroUsd: usd * 1e6 } : {}),
      ...(lowerBound ? { lowerBound } : {}),
      ...(original === undefined ? {} : { copied: true }),
    });
  }
  return records;
}

/**
 * A cost of 0 is ambiguous: subscriptions, unpriced models and free models all have it. Only a name such as
 * `kimi-k2-free` or `deepseek-r1:free` makes it a price.
 */
function isFree(model: string | undefined): boolean {
  return model !== undefined && /[:-]free$/.test(model);
}

export function tokenUsageOf(tokens: TokenCounts): TokenUsage | undefined {
  const { input, cached, cacheWrite, output, thinking } = tokens;
  if (input + cached + cacheWrite + output === 0) return undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
    thinkingTokens: thinking,
  };
}
