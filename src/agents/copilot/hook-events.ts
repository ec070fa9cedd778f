/**
 * Copilot CLI's hook events. Payloads do not name their event, so it is an argument. `permissionRequest` is not used,
 * because it also fires when the user is not asked; `notification` fires only when the user is asked.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { reportOf, telling, type EventReports } from "../shared/hook-reports.ts";

export const hookEvents: HookEvents = {
  name: "copilot",
  read(payload, event) {
    if (event === undefined) return undefined;
    const helper = asText(payload["agentId"]);
    const isToolEnd = event === "postToolUse" || event === "postToolUseFailure";
    return {
      event,
      ...optional("at", asTime(payload["timestamp"])),
      // In a sub-agent, the id is that of the sub-agent.
      ...optional("session", helper === undefined ? asText(payload["sessionId"]) : undefined),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcriptPath"])),
      ...optional("report", reportOf(REPORTS, event, payload, helper)),
      ...optional("tool", isToolEnd && helper === undefined ? asText(payload["toolName"]) : undefined),
    };
  },
};

const REPORTS: EventReports<[payload: Json, helper: string | undefined]> = {
  // It fires with the first prompt, not when the program starts.
  sessionStart: (payload) => ({ state: payload["initialPrompt"] === undefined ? "idle" : "working", begins: true }),
  userPromptSubmitted: (payload, helper) =>
    helper === undefined ? { state: "working", begins: true, ...telling(payload["prompt"]) } : working(helper),
  postToolUse: (_, helper) => working(helper),
  postToolUseFailure: (_, helper) => working(helper),
  notification(payload) {
    const state = NOTIFIED.get(payload["notification_type"]);
    return state && { state, ...telling(payload["message"]) };
  },
  agentStop: (_, helper) => (helper === undefined ? { state: "done" } : { state: "stopped", scope: helper }),
  subagentStart: (_, helper) => working(helper),
  subagentStop: (_, helper) => ({ state: "stopped", ...optional("scope", helper) }),
  errorOccurred: (payload, helper) => ({
    state: "error",
    ...telling(errorText(payload["error"])),
    ...optional("scope", helper),
  }),
  sessionEnd: () => ({ state: "offline" }),
};

const NOTIFIED = new Map<unknown, "permission" | "waiting">([
  ["permission_prompt", "permission"],
  ["elicitation_dialog", "waiting"],
]);

function working(helper: string | undefined): HookReport {
  return { state: "working", ...optional("scope", helper) };
}

/** The message is often JSON of the service. */
function errorText(error: unknown): unknown {
  const message = asText(asObject(error)?.["message"]);
  return parseObject(message)?.["message"] ?? message;
}
