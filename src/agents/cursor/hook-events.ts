/**
 * Cursor's hook events. Those before a command or a tool are not used: they fire whether or not the user is asked.
 * Neither is preCompact, because no event marks its end.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asArray, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/asked.ts";

export const hookEvents: HookEvents = {
  name: "cursor",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const isToolEnd = name === "postToolUse" || name === "postToolUseFailure";
    return {
      event: name,
      ...optional("session", asText(payload["conversation_id"]) ?? asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"]) ?? asText(asArray(payload["workspace_roots"])?.[0])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", reportOf(name, payload)),
      ...optional("tool", isToolEnd ? asText(payload["tool_name"]) : undefined),
    };
  },
};

function reportOf(event: string, payload: Json): HookReport | undefined {
  switch (event) {
    case "sessionStart":
      return { state: "idle", begins: true };
    case "beforeSubmitPrompt":
      return { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) };
    case "postToolUse":
    case "postToolUseFailure":
      return { state: "working" };
    case "stop":
      return stopReport(payload);
    case "sessionEnd":
      return { state: "offline" };
    default:
      return undefined;
  }
}

function stopReport(payload: Json): HookReport {
  switch (payload["status"]) {
    case "aborted":
      return { state: "idle" };
    case "error":
      return { state: "error", ...optional("message", shortText(payload["error_message"])) };
    default:
      return { state: "done" };
  }
}
