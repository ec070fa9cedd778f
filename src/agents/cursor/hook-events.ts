/**
 * Cursor's hook events. Those before a command or a tool are not used: they fire whether or not the user is asked.
 * Neither is preCompact, because no event marks its end.
 */
import type { HookEvents } from "../../core/hooks.ts";
import { asArray, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { reportOf, telling, type EventReports } from "../shared/hook-reports.ts";

export const hookEvents: HookEvents = {
  name: "cursor",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    // Grok Build also runs these hooks, with extra fields.
    if (name === undefined || payload["hookEventName"] !== undefined) return undefined;
    const isToolEnd = name === "postToolUse" || name === "postToolUseFailure";
    return {
      event: name,
      ...optional("session", asText(payload["conversation_id"]) ?? asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"]) ?? asText(asArray(payload["workspace_roots"])?.[0])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", reportOf(REPORTS, name, payload)),
      ...optional("tool", isToolEnd ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  sessionStart: () => ({ state: "idle", begins: true }),
  beforeSubmitPrompt: (payload) => ({ state: "working", begins: true, ...telling(payload["prompt"]) }),
  postToolUse: () => ({ state: "working" }),
  postToolUseFailure: () => ({ state: "working" }),
  stop(payload) {
    if (payload["status"] === "aborted") return { state: "idle" };
    return payload["status"] === "error" ? { state: "error", ...telling(payload["error_message"]) } : { state: "done" };
  },
  sessionEnd: () => ({ state: "offline" }),
};
