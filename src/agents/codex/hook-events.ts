/** Parses Codex's hook payloads. Recorded with 0.166.0. */
import type { HookDecision, HookEvents, HookReport } from "../../core/hooks.ts";
import { asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { asked, questionOffer, questionText, shortText } from "../shared/hook-reports.ts";

export const QUESTION_TOOL = "request_user_input";

export const hookEvents: HookEvents = {
  name: "codex",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const isToolEnd = name === "PostToolUse" && payload["agent_id"] === undefined;
    return {
      event: name,
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", reportOf(name, payload)),
      // The dialog follows the hook, and only if the hook decided nothing.
      ...optional("waits", name === "PermissionRequest" ? ("instead" as const) : undefined),
      ...optional("tool", isToolEnd ? asText(payload["tool_name"]) : undefined),
    };
  },
  answer: permissionDecision,
  refusal,
};

function permissionDecision(decision: HookDecision): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

/** Only a prompt: after a tool, Codex goes on and takes the reason for the tool's result. Seen with 0.169.0. */
function refusal(event: string, reason: string): string | undefined {
  return event === "UserPromptSubmit" ? JSON.stringify({ decision: "block", reason }) : undefined;
}

function reportOf(event: string, payload: Json): HookReport | undefined {
  const helper = asText(payload["agent_id"]);
  const scope = optional("scope", helper);
  const tool = asText(payload["tool_name"]) ?? "tool";
  const { ask, message } = asked(tool, payload["tool_input"]);
  switch (event) {
    case "SessionStart":
      // With `compact` it comes at the next prompt and means nothing by itself.
      return payload["source"] === "compact" ? undefined : { state: "idle", begins: true };
    case "UserPromptSubmit":
      // A sub-agent gets its task in the same way.
      return helper === undefined
        ? { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) }
        : { state: "working", ...scope };
    case "PreToolUse":
      return tool === QUESTION_TOOL
        ? {
            state: "waiting",
            ask,
            message: questionText(payload["tool_input"]) ?? message,
            ...questionOffer(payload["tool_input"]),
            ...scope,
          }
        : { state: "working", ask, ...scope };
    case "PermissionRequest":
      return { state: "permission", ask, message, ...scope };
    case "PostToolUse":
      return { state: "working", ask, ...scope };
    case "Stop":
      return { state: "done", ...optional("message", shortText(payload["last_assistant_message"])) };
    case "Interrupt":
      return { state: "idle" };
    case "SubagentStart":
      return { state: "working", ...scope };
    case "SubagentStop":
      return { state: "stopped", ...scope };
    case "PreCompact":
      return { state: "working", label: "compacting" };
    case "PostCompact":
      return { state: payload["trigger"] === "auto" ? "working" : "idle" };
    case "SessionEnd":
      return payload["reason"] === "clear" ? undefined : { state: "offline" };
    default:
      return undefined;
  }
}
