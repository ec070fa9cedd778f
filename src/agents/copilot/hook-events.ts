/**
 * Copilot CLI's hook events. Payloads do not name their event, so it is an argument. `permissionRequest` is not used,
 * because it also fires when the user is not asked; `notification` fires only when the user is asked.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/asked.ts";

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
      ...optional("report", reportOf(event, payload, helper)),
      ...optional("tool", isToolEnd && helper === undefined ? asText(payload["toolName"]) : undefined),
    };
  },
};

function reportOf(event: string, payload: Json, helper: string | undefined): HookReport | undefined {
  const scope = optional("scope", helper);
  switch (event) {
    case "sessionStart":
      // It fires with the first prompt, not when the program starts.
      return { state: payload["initialPrompt"] === undefined ? "idle" : "working", begins: true };
    case "userPromptSubmitted":
      return helper === undefined
        ? { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) }
        : { state: "working", ...scope };
    case "postToolUse":
    case "postToolUseFailure":
      return { state: "working", ...scope };
    case "notification":
      return notificationReport(payload);
    case "agentStop":
      return helper === undefined ? { state: "done" } : { state: "stopped", ...scope };
    case "subagentStart":
      return { state: "working", ...scope };
    case "subagentStop":
      return { state: "stopped", ...scope };
    case "errorOccurred":
      return { state: "error", ...optional("message", errorText(payload["error"])), ...scope };
    case "sessionEnd":
      return { state: "offline" };
    default:
      return undefined;
  }
}

function notificationReport(payload: Json): HookReport | undefined {
  const message = optional("message", shortText(payload["message"]));
  switch (payload["notification_type"]) {
    case "permission_prompt":
      return { state: "permission", ...message };
    case "elicitation_dialog":
      return { state: "waiting", ...message };
    default:
      return undefined;
  }
}

/** The message is often JSON of the service. */
function errorText(error: unknown): string | undefined {
  const message = asText(asObject(error)?.["message"]);
  try {
    return shortText(asObject(JSON.parse(message ?? ""))?.["message"] ?? message);
  } catch {
    return shortText(message);
  }
}
