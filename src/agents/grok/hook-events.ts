/** Parses Grok Build's hook payloads. Recorded with 1.0.41. Its fields come twice: with its own names and with Claude Code's. */
import type { HookEvents } from "../../core/hooks.ts";
import { asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, toolEnd, toolRequest, type EventReports } from "../shared/hook-reports.ts";

export const QUESTION_TOOL = "ask_user_question";

export const hookEvents: HookEvents = {
  name: "grok",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const isToolEnd = name === "PostToolUse" || name === "PostToolUseFailure";
    return {
      event: name,
      ...optional("at", asTime(payload["timestamp"])),
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", isOfHelper(payload) ? undefined : reportOf(REPORTS, name, payload)),
      ...optional("tool", isToolEnd ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  SessionStart: () => ({ state: "idle", begins: true }),
  UserPromptSubmit: (payload) => ({ state: "working", begins: true, ...telling(payload["prompt"]) }),
  PreToolUse: (payload) =>
    payload["tool_name"] === QUESTION_TOOL
      ? { ...questionReport(payload["tool_input"]), ask: toolRequest(payload).ask }
      : { state: "working" },
  PostToolUse: toolEnd,
  PostToolUseFailure: toolEnd,
  PermissionDenied: toolEnd,
  Notification(payload) {
    // What it wants to do is on its screen only.
    if (payload["notificationType"] === "permission_prompt") return { state: "permission" };
    return payload["notificationType"] === "idle_prompt" ? { state: "idle", weak: true } : undefined;
  },
  // With `shutdown` it comes after the end of the session.
  Stop: (payload) =>
    payload["reason"] === "shutdown" ? undefined : { state: "done", ...telling(payload["lastAssistantMessage"]) },
  StopFailure: (payload) => ({ state: "error", ...telling(payload["errorDetails"] ?? payload["error"]) }),
  StopCancelled: () => ({ state: "idle" }),
  PreCompact: () => ({ state: "working", label: "compacting" }),
  PostCompact: (payload) => ({ state: payload["source"] === "auto" ? "working" : "idle" }),
  SessionEnd: () => ({ state: "offline" }),
};

/** A sub-agent's session has an end of its own. */
function isOfHelper(payload: Json): boolean {
  return payload["subagentType"] !== undefined || payload["subagentId"] !== undefined;
}
