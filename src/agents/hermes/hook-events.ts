/**
 * Hermes' hook events. Most fields are in `extra`. Sub-agents run in the same process and call the same hooks with
 * their own session; the platform or the session tells them apart.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, type EventReports } from "../shared/hook-reports.ts";

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
    const report = isHelper ? helperReport(name) : reportOf(REPORTS, name, payload, extra);
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

const REPORTS: EventReports<[payload: Json, extra: Json]> = {
  on_session_start: () => ({ state: "idle", begins: true }),
  on_session_reset: () => ({ state: "idle", begins: true }),
  pre_llm_call: (_, extra) => ({ state: "working", begins: true, ...telling(promptText(extra["user_message"])) }),
  pre_tool_call: (payload) =>
    payload["tool_name"] === QUESTION_TOOL ? questionReport(payload["tool_input"]) : { state: "working" },
  post_tool_call: () => ({ state: "working" }),
  post_approval_response: () => ({ state: "working" }),
  // A model decides those of `smart`, not the user.
  pre_approval_request: (_, extra) =>
    extra["surface"] === "smart"
      ? undefined
      : { state: "permission", ...telling(extra["command"] ?? extra["description"]) },
  post_llm_call: (_, extra) => ({ state: "done", ...telling(extra["assistant_response"]) }),
  on_session_end: (_, extra) => turnEnd(extra),
  on_session_finalize: () => ({ state: "offline" }),
};

/** Despite its name it fires at the end of every turn; at exit it fires again without an outcome. */
function turnEnd(extra: Json): HookReport | undefined {
  if (extra["interrupted"] === true) return { state: "idle" };
  if (extra["failed"] === true) return { state: "error", ...telling(extra["turn_exit_reason"]) };
  return extra["completed"] === true ? { state: "done" } : undefined;
}

/** A prompt with attachments is a list of parts. */
function promptText(message: unknown): unknown {
  if (!Array.isArray(message)) return message;
  return message.flatMap((part) => asText(asObject(part)?.["text"]) ?? []).join(" ");
}
