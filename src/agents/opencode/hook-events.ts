/**
 * Events from OpenCode's plug-in: its bus events, and `parent` for sub-agents. Recorded with 1.18.18; the older
 * `permission.updated` is supported too.
 */
import type { HookEvents, HookReport } from "../../core/hooks.ts";
import { asArray, asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionOffer, questionText, shortText } from "../shared/asked.ts";

export const hookEvents: HookEvents = {
  name: "opencode",
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
      ...optional("report", withScope(reportOf(event, properties), helper)),
      ...optional(
        "tool",
        event === "tool.execute.after" && helper === undefined ? asText(properties["tool"]) : undefined,
      ),
    };
  },
};

function reportOf(event: string, properties: Json): HookReport | undefined {
  switch (event) {
    case "chat.message":
      return { state: "working", begins: true, ...optional("message", shortText(properties["text"])) };
    case "session.created":
      return { state: "idle", begins: true };
    case "session.status":
      return statusReport(asText(asObject(properties["status"])?.["type"]));
    case "session.idle":
      return { state: "done" };
    case "session.error":
      return errorReport(asObject(properties["error"]) ?? {});
    case "permission.asked":
    case "permission.updated":
      return {
        state: "permission",
        ...optional("ask", asText(properties["id"])),
        ...optional("message", permissionText(properties)),
      };
    case "question.asked":
      return {
        state: "waiting",
        ...optional("ask", asText(properties["id"])),
        ...optional("message", questionText(properties)),
        ...questionOffer(properties),
      };
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return {
        state: "working",
        ...optional("ask", asText(properties["requestID"]) ?? asText(properties["permissionID"])),
      };
    case "tool.execute.after":
      return { state: "working", ...optional("ask", asText(properties["callID"])) };
    case "server.instance.disposed":
      return { state: "offline" };
    default:
      return undefined;
  }
}

function statusReport(type: string | undefined): HookReport | undefined {
  // `busy` repeats after every step, even while a permission is pending, so it does not end a question.
  if (type === "busy") return { state: "working", ask: "busy" };
  if (type === "retry") return { state: "working", ask: "busy", label: "retrying" };
  return type === "idle" ? { state: "done" } : undefined;
}

function errorReport(error: Json): HookReport {
  // A cancel by the user arrives as an error.
  if (error["name"] === "MessageAbortedError") return { state: "idle" };
  const message = shortText(asObject(error["data"])?.["message"]) ?? shortText(error["name"]);
  return { state: "error", ...optional("message", message) };
}

/** The command to run; patterns are its parts, and the other requests. */
function permissionText(properties: Json): string | undefined {
  const command = asText(asObject(properties["metadata"])?.["command"]);
  const what = command ?? patternsOf(properties);
  const kind = asText(properties["permission"]) ?? asText(properties["title"]) ?? "permission";
  return shortText(what === "" ? kind : `${kind}: ${what}`);
}

function patternsOf(properties: Json): string {
  return (asArray(properties["patterns"]) ?? []).flatMap((pattern) => asText(pattern) ?? []).join(", ");
}

/** A sub-agent's turn and end are not the session's. */
function withScope(report: HookReport | undefined, scope: string | undefined): HookReport | undefined {
  if (report === undefined || scope === undefined) return report;
  const { begins: _, ...rest } = report;
  return { ...rest, ...(rest.state === "done" || rest.state === "idle" ? { state: "stopped" as const } : {}), scope };
}
