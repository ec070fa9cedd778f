/**
 * Hermes' hook events. Most fields are in `extra`. Sub-agents run in the same process and call the same hooks with
 * their own session; the platform or the session tells them apart.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionOffer, questionText, shortText } from "../shared/asked.ts";

/** The tool that asks the user. */
export const QUESTION_TOOL = "clarify";

const SUBAGENT = "subagent";

export const hookEvents: HookEvents = {
  name: "hermes",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    const extra = asObject(payload["extra"]) ?? {};
    const isHelper = extra["platform"] === SUBAGENT;
    const report = isHelper ? helperReport(name) : reportOf(name, payload, extra);
    return {
      event: name,
      ...optional("session", isHelper ? undefined : asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("report", report),
      ...optional("tool", name === "post_tool_call" ? asText(payload["tool_name"]) : undefined),
    };
  },
};

function helperReport(event: string): HookReport | undefined {
  if (event === "pre_llm_call") return { state: "working", scope: SUBAGENT };
  return event === "on_session_end" ? { state: "stopped", scope: SUBAGENT } : undefined;
}

function reportOf(event: string, payload: Json, extra: Json): HookReport | undefined {
  switch (event) {
    case "on_session_start":
    case "on_session_reset":
      return { state: "idle", begins: true };
    case "pre_llm_call":
      return { state: "working", begins: true, ...optional("message", promptText(extra["user_message"])) };
    case "pre_tool_call":
      return payload["tool_name"] === QUESTION_TOOL
        ? {
            state: "waiting",
            ...optional("message", questionText(payload["tool_input"])),
            ...questionOffer(payload["tool_input"]),
          }
        : { state: "working" };
    case "post_tool_call":
    case "post_approval_response":
      return { state: "working" };
    case "pre_approval_request":
      // A model decides these, not the user.
      return extra["surface"] === "smart"
        ? undefined
        : { state: "permission", ...optional("message", shortText(extra["command"] ?? extra["description"])) };
    case "post_llm_call":
      return { state: "done", ...optional("message", shortText(extra["assistant_response"])) };
    case "on_session_end":
      return turnEnd(extra);
    case "on_session_finalize":
      return { state: "offline" };
    default:
      return undefined;
  }
}

/** Despite its name it fires at the end of every turn; at exit it fires again without an outcome. */
function turnEnd(extra: Json): HookReport | undefined {
  if (extra["interrupted"] === true) return { state: "idle" };
  if (extra["failed"] === true) return { state: "error", ...optional("message", shortText(extra["turn_exit_reason"])) };
  return extra["completed"] === true ? { state: "done" } : undefined;
}

/** A prompt with attachments is a list of parts. */
function promptText(message: unknown): string | undefined {
  if (!Array.isArray(message)) return shortText(message);
  const texts = message.map((part) => asText(asObject(part)?.["text"]));
  return shortText(texts.filter((text) => text !== undefined).join(" "));
}
