/** Parses the events that the extension for Pi and omp forwards from their common extension interface. */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "./asked.ts";

/** There is one dialog at a time. */
const DIALOG = "dialog";

/** With `settles` the agent reports when it is really idle; otherwise the end of a run counts. */
export function extensionEvents(name: string, settles: boolean): HookEvents {
  return {
    name,
    read(payload) {
      const event = asText(payload["event"]);
      if (event === undefined) return undefined;
      return {
        event,
        ...optional("at", asTime(payload["at"])),
        ...optional("session", asText(payload["sessionId"])),
        ...optional("pid", typeof payload["pid"] === "number" ? payload["pid"] : undefined),
        ...optional("cwd", asText(payload["cwd"])),
        ...optional("transcript", asText(payload["sessionFile"])),
        ...optional("report", reportOf(event, payload, settles)),
        ...optional("tool", event === "tool_execution_end" ? asText(payload["toolName"]) : undefined),
      };
    },
  };
}

function reportOf(event: string, payload: Json, settles: boolean): HookReport | undefined {
  switch (event) {
    case "session_start":
      return { state: "idle", begins: true };
    case "before_agent_start":
      return { state: "working", begins: true, ...optional("message", shortText(payload["prompt"])) };
    case "agent_start":
    case "tool_execution_start":
    case "tool_execution_end":
      return { state: "working", ask: event };
    case "auto_retry_start":
      return { state: "working", ask: event, label: "retrying" };
    case "ui_prompt_start":
      return { state: "waiting", ask: DIALOG, ...optional("message", shortText(payload["title"])) };
    case "ui_prompt_end":
      return { state: payload["idle"] === true ? "idle" : "working", ask: DIALOG };
    case "agent_settled":
    case "agent_quiet":
      return endReport(payload);
    case "agent_end":
      // A retry may follow; if the agent reports the real end, wait for that.
      return settles ? undefined : endReport(payload);
    case "session_shutdown":
      return { state: "offline" };
    default:
      return undefined;
  }
}

function endReport(payload: Json): HookReport {
  if (payload["aborted"] === true || payload["stopReason"] === "aborted") return { state: "idle" };
  if (payload["stopReason"] === "error")
    return { state: "error", ...optional("message", shortText(payload["errorMessage"])) };
  return { state: "done" };
}
