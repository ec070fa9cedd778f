/** Parses Kimi Code's hook payloads. Recorded with 2.1.0. Sub-agents call the same hooks; only a permission names them. */
import type { HookEvents } from "../../core/hooks.ts";
import { asArray, asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, toolEnd, toolRequest, type EventReports } from "../shared/hook-reports.ts";

export const QUESTION_TOOL = "AskUserQuestion";

export const hookEvents: HookEvents = {
  name: "kimi",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const isToolEnd = name === "PostToolUse" || name === "PostToolUseFailure";
    return {
      event: name,
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("report", reportOf(REPORTS, name, payload)),
      ...optional("tool", isToolEnd ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  SessionStart: () => ({ state: "idle", begins: true }),
  UserPromptSubmit: (payload) => ({ state: "working", begins: true, ...telling(promptText(payload["prompt"])) }),
  PreToolUse: (payload) =>
    payload["tool_name"] === QUESTION_TOOL
      ? { ...questionReport(payload["tool_input"]), ask: toolRequest(payload).ask }
      : { state: "working" },
  PermissionRequest: (payload) => ({ state: "permission", ...toolRequest(payload) }),
  PermissionResult: toolEnd,
  PostToolUse: toolEnd,
  PostToolUseFailure: toolEnd,
  Stop: () => ({ state: "done" }),
  StopFailure: (payload) => ({ state: "error", ...telling(payload["error_message"]) }),
  Interrupt: () => ({ state: "idle" }),
  PreCompact: () => ({ state: "working", label: "compacting" }),
  PostCompact: (payload) => ({ state: payload["trigger"] === "auto" ? "working" : "idle" }),
  SessionEnd: () => ({ state: "offline" }),
};

/** A prompt is a list of parts. */
function promptText(prompt: unknown): string {
  return (asArray(prompt) ?? [prompt])
    .flatMap((part) => asText(part) ?? asText(asObject(part)?.["text"]) ?? [])
    .join(" ");
}
