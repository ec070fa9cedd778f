/** Parses the events that the extension for Pi and omp forwards from their common extension interface. */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { reportOf, telling, type EventReports } from "./hook-reports.ts";

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
        ...optional("report", reportOf(REPORTS, event, payload, settles, event)),
        ...optional("tool", event === "tool_execution_end" ? asText(payload["toolName"]) : undefined),
      };
    },
  };
}

const busy = (_: Json, __: boolean, event: string): HookReport => ({ state: "working", ask: event });

const REPORTS: EventReports<[payload: Json, settles: boolean, event: string]> = {
  session_start: () => ({ state: "idle", begins: true }),
  before_agent_start: (payload) => ({ state: "working", begins: true, ...telling(payload["prompt"]) }),
  agent_start: busy,
  tool_execution_start: busy,
  tool_execution_end: busy,
  auto_retry_start: (_, __, event) => ({ state: "working", ask: event, label: "retrying" }),
  ui_prompt_start: (payload) => ({ state: "waiting", ask: DIALOG, ...telling(payload["title"]) }),
  ui_prompt_end: (payload) => ({ state: payload["idle"] === true ? "idle" : "working", ask: DIALOG }),
  agent_settled: endReport,
  agent_quiet: endReport,
  // A retry may follow; if the agent reports the real end, wait for that.
  agent_end: (payload, settles) => (settles ? undefined : endReport(payload)),
  session_shutdown: () => ({ state: "offline" }),
};

function endReport(payload: Json): HookReport {
  if (payload["aborted"] === true || payload["stopReason"] === "aborted") return { state: "idle" };
  if (payload["stopReason"] === "error") return { state: "error", ...telling(payload["errorMessage"]) };
  return { state: "done" };
}
