/** Parses Gemini CLI's hook payloads. PreCompress is not used: it comes at every turn, and nothing reports its end. */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionOffer, questionText, shortText } from "../shared/asked.ts";

export const QUESTION_TOOL = "ask_user";

export const hookEvents: HookEvents = {
  name: "gemini",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    return {
      event: name,
      ...optional("at", asTime(payload["timestamp"])),
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", reportOf(name, payload)),
      ...optional("tool", name === "AfterTool" ? asText(payload["tool_name"]) : undefined),
    };
  },
};

function reportOf(event: string, payload: Json): HookReport | undefined {
  switch (event) {
    case "SessionStart":
      return { state: "idle", begins: true };
    case "BeforeAgent":
      return { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) };
    case "BeforeTool":
      return payload["tool_name"] === QUESTION_TOOL
        ? {
            state: "waiting",
            ...optional("message", questionText(payload["tool_input"])),
            ...questionOffer(payload["tool_input"]),
          }
        : { state: "working" };
    case "AfterTool":
      return { state: "working" };
    case "Notification":
      return payload["notification_type"] === "ToolPermission"
        ? { state: "permission", ...optional("message", permissionText(payload)) }
        : undefined;
    case "AfterAgent":
      return { state: "done", ...optional("message", shortText(payload["prompt_response"])) };
    case "SessionEnd":
      // `clear` continues in a new session, which reports itself.
      return payload["reason"] === "clear" ? undefined : { state: "offline" };
    default:
      return undefined;
  }
}

/** The message is always the same; the details have the question. */
function permissionText(payload: Json): string | undefined {
  const details = asObject(payload["details"]) ?? {};
  const what =
    asText(details["command"]) ??
    asText(details["filePath"]) ??
    asText(details["fileName"]) ??
    asText(details["prompt"]);
  const title = asText(details["title"]);
  if (what === undefined) return shortText(title ?? payload["message"]);
  return shortText(title === undefined ? what : `${title}: ${what}`);
}
