/** Parses Qwen Code's hook payloads. Recorded with 0.24.4. */
import type { HookEvents } from "../../core/hooks.ts";
import { asText, asTime } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, toolEnd, toolRequest, type EventReports } from "../shared/hook-reports.ts";

const QUESTION_TOOL = "ask_user_question";

export const hookEvents: HookEvents = {
  name: "qwen",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const helper = asText(payload["agent_id"]);
    const report = reportOf(REPORTS, name, payload);
    const isToolEnd = name === "PostToolUse" || name === "PostToolUseFailure";
    return {
      event: name,
      // The notification that follows a failure can arrive before it, and must not hide it.
      ...optional("at", name === "StopFailure" ? undefined : asTime(payload["timestamp"])),
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", report && { ...report, ...optional("scope", helper) }),
      ...optional("tool", isToolEnd && helper === undefined ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  // With `compact` it comes in the middle of a turn.
  SessionStart: (payload) => (payload["source"] === "compact" ? undefined : { state: "idle", begins: true }),
  // It also comes with the results of tools, then without a prompt. A sub-agent gets its task in the same way.
  UserPromptSubmit: (payload) =>
    asText(payload["prompt"]) === undefined || payload["agent_id"] !== undefined
      ? { state: "working" }
      : { state: "working", begins: true, ...telling(payload["prompt"]) },
  PermissionRequest(payload) {
    const { ask, message } = toolRequest(payload);
    if (payload["tool_name"] === QUESTION_TOOL) return { ...questionReport(payload["tool_input"]), ask };
    return { state: "permission", ask, message };
  },
  PostToolUse: toolEnd,
  PostToolUseFailure: toolEnd,
  // Nothing else reports that the user has denied or interrupted something.
  Notification: (payload) =>
    payload["notification_type"] === "idle_prompt" ? { state: "idle", weak: true } : undefined,
  Stop: (payload) => ({ state: "done", ...telling(payload["last_assistant_message"]) }),
  StopFailure: (payload) => ({ state: "error", ...telling(payload["error_details"] ?? payload["error"]) }),
  PreCompact: () => ({ state: "working", label: "compacting" }),
  PostCompact: (payload) => ({ state: payload["trigger"] === "auto" ? "working" : "idle" }),
  SubagentStart: () => ({ state: "working" }),
  SubagentStop: () => ({ state: "stopped" }),
  // `clear` and `resume` continue in another session, which reports itself.
  SessionEnd: (payload) =>
    payload["reason"] === "clear" || payload["reason"] === "resume" ? undefined : { state: "offline" },
};
