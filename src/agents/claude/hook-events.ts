/** Parses Claude Code's hook payloads. Recorded with 2.1.325; fields that older versions lack are optional. */
import type { HookDecision, HookEvents, HookReading, HookReport, TeamUpdate } from "../../core/hooks.ts";
import type { State } from "../../core/state.ts";
import { asArray, asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { asked, questionOffer, questionText, shortText } from "../shared/hook-reports.ts";
import { account } from "./account.ts";
import { statusLine } from "./status-line.ts";

const QUESTION_TOOL = "AskUserQuestion";

export const hookEvents: HookEvents = {
  name: "claude",
  isMain: true,
  read(payload, event, vars) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined || isOfAnotherProgram(payload)) return undefined;
    const member = asText(payload["teammate_name"]);
    const reading: HookReading = {
      event: name,
      ...optional("session", asText(payload["session_id"])),
      ...optional("pid", pidFrom(vars["CLAUDE_PID"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
    };
    // A teammate is a separate session, so this is not about the current one.
    if (member !== undefined) return { event: name, ...optional("team", memberNews(name, member, payload)) };
    const isToolEnd = name === "PostToolUse" || name === "PostToolUseFailure";
    const report = reportOf(name, payload);
    // The dialog is on screen while the hook runs. The first answer wins, and a late hook is killed.
    const waits = name === "PermissionRequest" && report?.state === "permission" ? ("beside" as const) : undefined;
    return {
      ...reading,
      ...optional("report", report),
      ...optional("waits", waits),
      ...optional("tool", isToolEnd && payload["agent_id"] === undefined ? asText(payload["tool_name"]) : undefined),
      ...optional("team", isToolEnd ? teamNews(payload) : undefined),
    };
  },
  answer: permissionDecision,
  refusal,
  statusLine,
  account,
};

/** Cursor and Grok Build also run the hooks in Claude Code's settings, with extra fields. Their own hooks report their status. */
function isOfAnotherProgram(payload: Json): boolean {
  return ["cursor_version", "generation_id", "hookEventName"].some((field) => payload[field] !== undefined);
}

function permissionDecision(decision: HookDecision): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

/** A prompt is refused; after a tool, the turn ends. */
function refusal(event: string, reason: string): string | undefined {
  if (event === "UserPromptSubmit") return JSON.stringify({ decision: "block", reason });
  return event === "PostToolUse" ? JSON.stringify({ continue: false, stopReason: reason }) : undefined;
}

function reportOf(event: string, payload: Json): HookReport | undefined {
  const scope = optional("scope", asText(payload["agent_id"]));
  switch (event) {
    case "SessionStart":
      // After a compaction the same turn, or the same pause, continues.
      return payload["source"] === "compact" ? undefined : { state: "idle", begins: true };
    case "UserPromptSubmit":
      return { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) };
    case "PreToolUse":
    case "PermissionRequest":
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PermissionDenied":
      return { ...toolReport(event, payload), ...scope };
    case "Notification":
      return notificationReport(payload);
    case "Stop":
      return { state: "done", ...optional("label", backgroundLabel(payload)), ...lastMessage(payload) };
    case "StopFailure":
      return {
        state: "error",
        ...optional("message", reasonOf(payload)),
      };
    case "SubagentStart":
      return { state: "working", ...scope };
    case "SubagentStop":
      return { state: "stopped", ...scope };
    case "PreCompact":
      return { state: "working", label: "compacting" };
    case "PostCompact":
      return { state: payload["trigger"] === "auto" ? "working" : "idle" };
    case "SessionEnd":
      // The process continues in another session, which reports itself.
      return payload["reason"] === "clear" || payload["reason"] === "resume" ? undefined : { state: "offline" };
    default:
      return undefined;
  }
}

function toolReport(event: string, payload: Json): HookReport {
  const tool = asText(payload["tool_name"]) ?? "tool";
  const { ask, message } = asked(tool, payload["tool_input"]);
  const asks = event === "PreToolUse" || event === "PermissionRequest";
  if (asks && tool === QUESTION_TOOL) {
    return {
      state: "waiting",
      ask,
      message: questionText(payload["tool_input"]) ?? message,
      ...questionOffer(payload["tool_input"]),
    };
  }
  return event === "PermissionRequest" ? { state: "permission", ask, message } : { state: "working", ask };
}

/** The error kind is often "unknown"; the displayed text has the reason. */
function reasonOf(payload: Json): string | undefined {
  const kinds = ["error_details", "last_assistant_message", "error"];
  return kinds.map((kind) => shortText(payload[kind])).find((text) => text !== undefined);
}

/** Sent 6 s after a dialog opened and 60 s after a turn ended; older versions give the kind only in the text. */
function notificationReport(payload: Json): HookReport | undefined {
  const message = shortText(payload["message"]);
  const kind = asText(payload["notification_type"]) ?? message ?? "";
  if (/permission/i.test(kind)) return { state: "permission", ...optional("message", message) };
  if (/idle_prompt|waiting for your input/i.test(kind)) return { state: "idle", weak: true };
  if (/elicitation_dialog|input_needed/i.test(kind)) return { state: "waiting", ...optional("message", message) };
  return undefined;
}

/** Background shells and sub-agents do not keep the agent from being done, but are mentioned. */
function backgroundLabel(payload: Json): string | undefined {
  const running = asArray(payload["background_tasks"])?.length ?? 0;
  return running === 0 ? undefined : `${running} in the background`;
}

function lastMessage(payload: Json): { message?: string } {
  return optional("message", shortText(payload["last_assistant_message"]));
}

function pidFrom(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const MEMBER_STATES: Readonly<Record<string, State>> = {
  UserPromptSubmit: "working",
  PostToolUse: "working",
  PermissionRequest: "permission",
  Stop: "done",
  TeammateIdle: "idle",
  TaskCompleted: "done",
  SessionEnd: "stopped",
};

function memberNews(event: string, name: string, payload: Json): TeamUpdate | undefined {
  const state = MEMBER_STATES[event];
  if (state === undefined) return undefined;
  const session = optional("session", asText(payload["session_id"]));
  return { ...optional("name", asText(payload["team_name"])), members: [{ name, state, ...session }] };
}

/** The lead's tool calls about its team: a teammate was started, messaged, or dismissed. */
function teamNews(payload: Json): TeamUpdate | undefined {
  const input = asObject(payload["tool_input"]) ?? {};
  const response = asObject(payload["tool_response"]) ?? {};
  const team = optional("name", asText(input["team_name"]) ?? asText(response["team_name"]));
  if (response["status"] === "teammate_spawned") {
    const name = asText(response["name"]) ?? asText(input["name"]);
    return name === undefined ? undefined : { ...team, members: [{ name, state: "working" }] };
  }
  if (payload["tool_name"] !== "SendMessage") return undefined;
  if (input["type"] === "broadcast") return { ...team, members: [], everyone: "working" };
  const recipient = asText(input["recipient"]);
  const state = input["type"] === "shutdown_request" ? "stopped" : input["type"] === "message" ? "working" : undefined;
  return recipient === undefined || state === undefined
    ? undefined
    : { ...team, members: [{ name: recipient, state }] };
}
