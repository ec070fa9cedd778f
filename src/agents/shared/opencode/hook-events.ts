/**
 * Events from the plug-in: OpenCode's bus events, and `parent` for sub-agents. Recorded with 1.18.18; the older
 * `permission.updated` is supported too.
 */
import type { HookEvents, HookReport } from "../../../core/hooks.ts";
import { asArray, asObject, asText, asTime, type Json } from "../../../lib/json/fields.ts";
import { optional } from "../../../lib/values/optional.ts";
import { questionReport, reportOf, telling, type EventReports } from "../hook-reports.ts";

export function hookEventsOf(name: string): HookEvents {
  return {
    name,
    read(payload) {
      const event = asText(payload["type"]);
      if (event === undefined) return undefined;
      const properties = asObject(payload["properties"]) ?? {};
      const session = asText(properties["sessionID"]) ?? asText(asObject(properties["info"])?.["id"]);
      const helper = payload["parent"] === undefined ? undefined : session;
      return {
        event,
        ...optional("at", asTime(payload["at"])),
        ...optional("session", helper === undefined ? session : asText(payload["parent"])),
        ...optional("pid", typeof payload["pid"] === "number" ? payload["pid"] : undefined),
        ...optional("cwd", asText(payload["cwd"])),
        ...optional("report", withScope(reportOf(REPORTS, event, properties), helper)),
        ...optional(
          "tool",
          event === "tool.execute.after" && helper === undefined ? asText(properties["tool"]) : undefined,
        ),
      };
    },
  };
}

const asksPermission = (properties: Json): HookReport => ({
  state: "permission",
  ...optional("ask", asText(properties["id"])),
  ...telling(permissionText(properties)),
});
const isAnswered = (properties: Json): HookReport => ({
  state: "working",
  ...optional("ask", asText(properties["requestID"]) ?? asText(properties["permissionID"])),
});

const REPORTS: EventReports = {
  "chat.message": (properties) => ({ state: "working", begins: true, ...telling(properties["text"]) }),
  "session.created": () => ({ state: "idle", begins: true }),
  "session.status": (properties) => statusReport(asText(asObject(properties["status"])?.["type"])),
  "session.idle": () => ({ state: "done" }),
  "session.error": (properties) => errorReport(asObject(properties["error"]) ?? {}),
  "permission.asked": asksPermission,
  "permission.updated": asksPermission,
  "question.asked": (properties) => ({
    ...questionReport(properties),
    ...optional("ask", asText(properties["id"])),
  }),
  "permission.replied": isAnswered,
  "question.replied": isAnswered,
  "question.rejected": isAnswered,
  "tool.execute.after": (properties) => ({ state: "working", ...optional("ask", asText(properties["callID"])) }),
  "server.instance.disposed": () => ({ state: "offline" }),
};

function statusReport(type: string | undefined): HookReport | undefined {
  // `busy` repeats after every step, even while a permission is pending, so it does not end a question.
  if (type === "busy") return { state: "working", ask: "busy" };
  if (type === "retry") return { state: "working", ask: "busy", label: "retrying" };
  return type === "idle" ? { state: "done" } : undefined;
}

function errorReport(error: Json): HookReport {
  // A cancel by the user arrives as an error.
  if (error["name"] === "MessageAbortedError") return { state: "idle" };
  return { state: "error", ...telling(asText(asObject(error["data"])?.["message"]) ?? error["name"]) };
}

/** The command to run; patterns are its parts, and the other requests. */
function permissionText(properties: Json): string {
  const command = asText(asObject(properties["metadata"])?.["command"]);
  const patterns = (asArray(properties["patterns"]) ?? []).flatMap((pattern) => asText(pattern) ?? []);
  const what = command ?? patterns.join(", ");
  const kind = asText(properties["permission"]) ?? asText(properties["title"]) ?? "permission";
  return what === "" ? kind : `${kind}: ${what}`;
}

/** A sub-agent's turn and end are not the session's. */
function withScope(report: HookReport | undefined, scope: string | undefined): HookReport | undefined {
  if (report === undefined || scope === undefined) return report;
  const { begins: _, ...rest } = report;
  return { ...rest, ...(rest.state === "done" || rest.state === "idle" ? { state: "stopped" as const } : {}), scope };
}
