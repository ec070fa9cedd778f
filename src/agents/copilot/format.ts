/** The fields of `events.jsonl`. Only this file, format-store.ts and format-document.ts name fields or event types. */
import type { State } from "../../core/state.ts";
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  asTokens,
  type Json,
} from "../../lib/json/fields.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ModelTotals, RequestTokens, Totals } from "./tokens.ts";

export interface CopilotEvent {
  type: string;
  id: string | undefined;
  at: number | undefined;
  /** Its sub-agent: the id or, in older versions, the call that started it. */
  subagent: string | undefined;
  /** Undefined for an unused type. */
  said: Said | undefined;
}

/** `workspace.yaml` beside the events. About 1.0.2 a name was called `summary`; unnamed sessions have their first prompt there. */
export function workspaceIn(document: unknown): Partial<Record<"name" | "created" | "cwd" | "branch", string>> {
  const fields = asObject(document);
  return {
    ...optional("name", asText(fields?.["name"]) ?? asText(fields?.["summary"])),
    ...optional("created", asText(fields?.["created_at"])),
    ...optional("cwd", asText(fields?.["cwd"])),
    ...optional("branch", asText(fields?.["branch"])),
  };
}

/** Trusted folders in `config.json`. */
export function trustedFoldersIn(config: Json | undefined): string[] {
  const folders = asArray(config?.["trusted_folders"]) ?? asArray(config?.["trustedFolders"]) ?? [];
  return folders.filter((folder) => typeof folder === "string");
}

export type RequestUsage = ReturnType<typeof requestUsage>;

/** The content of an event, by the functions that read it. */
type Said =
  | ReturnType<
      | typeof started
      | typeof prompt
      | typeof reply
      | typeof call
      | typeof result
      | typeof compaction
      | typeof usageRecord
      | typeof totals
      | typeof subagentStart
      | typeof forkNote
    >
  | { kind: "model"; model: string | undefined }
  | { kind: "allowed"; callId: string | undefined }
  | { kind: "notice"; text: string };

export type Saying<Kind extends Said["kind"]> = Extract<Said, { kind: Kind }>;

const NOTHING = { kind: "nothing" as const };
const START = "session.start";
const TURN_END = "assistant.turn_end";
const USAGE = "session.usage_record";
const CHECKPOINT = "session.usage_checkpoint";
const INFO = "session.info";

/** Event types that affect the conversation, the bill or the session. */
const SAID = new Map<string, (data: Json, subagent: string | undefined) => Said>([
  [START, (data) => started(data, true)],
  ["session.resume", (data) => started(data, false)],
  ["session.model_change", (data) => ({ kind: "model", model: asText(data["newModel"]) })],
  [INFO, forkNote],
  ["session.error", (data) => ({ kind: "notice", text: asText(data["message"]) ?? "Error." })],
  ["abort", (data) => ({ kind: "notice", text: `Interrupted (${asText(data["reason"]) ?? "no reason given"}).` })],
  [USAGE, usageRecord],
  [CHECKPOINT, (data) => totals(data, false)],
  ["session.shutdown", (data) => totals(data, true)],
  ["session.compaction_complete", compaction],
  ["user.message", prompt],
  ["assistant.message", reply],
  ["tool.execution_start", call],
  ["tool.execution_complete", result],
  ["permission.completed", (data) => ({ kind: "allowed", callId: callIdIn(data) })],
  ["subagent.started", subagentStart],
]);

/**
 * Known types that are skipped. `system.message` is the vendor's instructions, `model.*` repeats the conversation
 * around a compaction, `tool.user_requested` is a shell command of the user.
 */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  ...["compaction_start", "truncation", "binary_asset", "title_changed", "context_changed", "mode_changed"].map(
    ofSession,
  ),
  ...["plan_changed", "task_complete", "handoff", "warning", "snapshot_rewind", "workspace_file_changed"].map(
    ofSession,
  ),
  ...["selected", "deselected", "configured", "completed", "failed"].map((name) => `subagent.${name}`),
  "skill.invoked",
  "system.message",
  "system.notification",
  "assistant.turn_start",
  TURN_END,
  "tool.user_requested",
  "permission.requested",
  "hook.start",
  "hook.end",
]);

const IGNORED_FAMILIES = ["model.", "session.schedule_", "session.fusion_"];

function ofSession(name: string): string {
  return `session.${name}`;
}

export function isIgnored(type: string): boolean {
  return IGNORED_TYPES.has(type) || IGNORED_FAMILIES.some((family) => type.startsWith(family));
}

const TYPE_FIRST = Buffer.from('{"type":"');

/** The type of a line without parsing; undefined if the line does not begin with it. */
export function typeOf(line: Buffer): string | undefined {
  if (!line.subarray(0, TYPE_FIRST.length).equals(TYPE_FIRST)) return undefined;
  const end = line.indexOf('"', TYPE_FIRST.length);
  return end === -1 ? undefined : line.toString("latin1", TYPE_FIRST.length, end);
}

/** Undefined if the line is not an event: not an object, or without type or data. */
export function parseEvent(line: Buffer): CopilotEvent | undefined {
  const record = parseRecord(line);
  const type = asText(record?.["type"]);
  const data = asObject(record?.["data"]);
  if (record === undefined || type === undefined || data === undefined) return undefined;
  const subagent = asText(record["agentId"]) ?? asText(data["parentToolCallId"]);
  const said = SAID.get(type)?.(data, subagent);
  return { type, id: asText(record["id"]), at: asTime(record["timestamp"]), subagent, said };
}

function callIdIn(data: Json): string | undefined {
  return asText(data["toolCallId"]);
}

function started(data: Json, isFirst: boolean) {
  const context = asObject(data["context"]);
  return {
    kind: "start" as const,
    isFirst,
    startMs: asTime(data["startTime"]),
    cwd: asText(context?.["cwd"]),
    branch: asText(context?.["branch"]),
    commit: asText(context?.["headCommit"]),
    version: asText(data["copilotVersion"]),
    model: asText(data["selectedModel"]),
  };
}

/** Prompts of hooks and skills usually have a source. A sub-agent's prompts from its parent are its own prompts. */
function prompt(data: Json, subagent: string | undefined) {
  const source = asText(data["source"]);
  const text = asText(data["content"]);
  if (text === undefined || text.startsWith("<skill-context")) return NOTHING;
  const isTyped = subagent !== undefined || source === undefined || source === "user";
  return isTyped ? { kind: "prompt" as const, text } : NOTHING;
}

function call(data: Json) {
  return { kind: "call" as const, callId: callIdIn(data), name: asText(data["toolName"]), input: data["arguments"] };
}

function subagentStart(data: Json) {
  return {
    kind: "subagent" as const,
    callId: callIdIn(data),
    label: asText(data["agentDisplayName"]) ?? asText(data["agentName"]),
    model: asText(data["model"]),
  };
}

function reply(data: Json) {
  return {
    kind: "reply" as const,
    text: asString(data["content"]) ?? "",
    thinking: asText(data["reasoningText"]),
    model: asText(data["model"]),
    output: asTokens(data["outputTokens"]),
    messageId: asText(data["messageId"]),
    apiCallId: asText(data["apiCallId"]),
    calls: asObjects(data["toolRequests"]).map((request) => {
      return { id: callIdIn(request) ?? "", name: asText(request["name"]), input: request["arguments"] };
    }),
  };
}

function result(data: Json) {
  const given = asObject(data["result"]);
  const output =
    asText(given?.["content"]) ??
    asText(given?.["detailedContent"]) ??
    asText(asObject(data["error"])?.["message"]) ??
    asString(data["result"]) ??
    asString(data["error"]) ??
    "";
  // A command the user ran with "!", not a call of the model.
  const isUsers = data["isUserRequested"] === true;
  // A shell command with exit code 3 counts as a success: the call itself worked.
  return { kind: "result" as const, callId: callIdIn(data), output, failed: data["success"] === false, isUsers };
}

function compaction(data: Json) {
  const usage = asObject(data["compactionTokensUsed"]);
  return {
    kind: "compaction" as const,
    summary: asText(data["summaryContent"]),
    usage: usage && requestUsage(usage),
    attempt: asText(data["compactionAttemptId"]),
  };
}

function usageRecord(data: Json) {
  const usage = asObject(data["usage"]);
  if (usage === undefined) return NOTHING;
  const accounting = asObject(usage["accounting"]);
  return {
    kind: "usage" as const,
    usage: requestUsage(usage),
    usageId: asText(accounting?.["usageId"]),
    apiCallId: asText(usage["apiCallId"]),
    sourceSession: asText(accounting?.["sourceSessionId"]),
    parentCall: asText(usage["parentToolCallId"]),
  };
}

/** A billed request. */
function requestUsage(usage: Json) {
  return {
    model: asText(usage["model"]),
    tokens: requestTokens(usage),
    nanoAiu: asObject(usage["copilotUsage"])?.["totalNanoAiu"] ?? usage["totalNanoAiu"],
    durationMs: asNumber(usage["duration"]),
  };
}

export function requestTokens(usage: Json): RequestTokens {
  return {
    input: asTokens(usage["inputTokens"]),
    output: asTokens(usage["outputTokens"]),
    cacheRead: asTokens(usage["cacheReadTokens"]),
    cacheWrite: asTokens(usage["cacheWriteTokens"]),
    // Missing for Anthropic models.
    reasoning: asTokens(usage["reasoningTokens"]),
  };
}

/** A checkpoint has only credits. */
function totals(data: Json, isShutdown: boolean) {
  const metrics = asObject(asObject(data["accountingSnapshot"])?.["modelMetrics"]) ?? asObject(data["modelMetrics"]);
  const credits = Object.entries(metrics ?? {}).map(([model, metric]) => {
    return { model, nanoAiu: asObject(metric)?.["totalNanoAiu"] };
  });
  return { kind: "totals" as const, totals: isShutdown ? totalsIn(data) : undefined, credits };
}

/** The totals of a run. A model's `cost` is in premium requests, not in dollars. */
function totalsIn(data: Json): ModelTotals {
  const totals = new Map<string, Totals>();
  for (const [model, value] of Object.entries(asObject(data["modelMetrics"]) ?? {})) {
    const metrics = asObject(value);
    const usage = asObject(metrics?.["usage"]);
    if (usage === undefined) continue;
    totals.set(model, {
      tokens: requestTokens(usage),
      requests: asNumber(asObject(metrics?.["requests"])?.["count"]) ?? 0,
      nanoAiu: asNumber(metrics?.["totalNanoAiu"]) ?? 0,
    });
  }
  return totals;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
export const SESSION_ID = new RegExp(`^${UUID}$`, "i");
/** This sentence is a fork's only link to its parent; the parent has a different one. */
const FORKED_FROM = new RegExp(`^Forked from .*\\((${UUID})\\) as .*\\((${UUID})\\)\\.?$`, "is");

function forkNote(data: Json) {
  const from = data["infoType"] === "fork" ? FORKED_FROM.exec(asText(data["message"]) ?? "")?.[1] : undefined;
  return from === undefined ? NOTHING : { kind: "fork" as const, from };
}

/** Events that belong to the message before; any other begins a new one. */
const ENDINGS = new Set([TURN_END, USAGE, CHECKPOINT]);

export const endsMessage = (line: Buffer): boolean => ENDINGS.has(typeOf(line) ?? "");

/** Rewrites an event for the session `to`, created at `at`; events keep their ids. */
export function eventOfFork(event: Json, to: string, at: Date): Json {
  if (event["type"] !== START) return event;
  const timestamp = at.toISOString();
  return { ...event, timestamp, data: { ...asObject(event["data"]), sessionId: to, startTime: timestamp } };
}

export const idOf = (event: Json): string | undefined => asText(event["id"]);

export function forkEvent(message: string, at: Date, parentId: string | null): Json {
  const data = { infoType: "fork", message };
  return { type: INFO, data, id: crypto.randomUUID(), timestamp: at.toISOString(), parentId };
}

/** The program's state after an event, and what it says; undefined if the event does not tell. */
export function stateAfter(event: Json): { state: State; text?: unknown } | undefined {
  const data = asObject(event["data"]) ?? {};
  switch (event["type"]) {
    case "user.message":
    case "assistant.turn_start":
    case "permission.completed":
      return { state: "working" };
    case "tool.execution_start": {
      if (data["toolName"] !== "ask_user") return { state: "working" };
      // The tool runs while its form is open.
      const form = asObject(data["arguments"]) ?? {};
      return { state: "waiting", text: form["message"] ?? form["question"] };
    }
    case "permission.requested": {
      const request = asObject(data["permissionRequest"]) ?? {};
      const text = asText(request["fullCommandText"]) ?? asText(request["fileName"]) ?? asText(request["intention"]);
      return { state: "permission", text };
    }
    case TURN_END:
    case "abort":
      return { state: "idle" };
    case "session.error":
      return { state: "error", text: data["message"] };
    default:
      return undefined;
  }
}
