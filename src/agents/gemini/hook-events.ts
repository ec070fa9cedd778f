/** Parses Gemini CLI's hook payloads. PreCompress is not used: it comes at every turn, and nothing reports its end. */
import type { HookEvents } from "../../core/hooks.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, type EventReports } from "../shared/hook-reports.ts";

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
      ...optional("report", reportOf(REPORTS, name, payload)),
      ...optional("tool", name === "AfterTool" ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  SessionStart: () => ({ state: "idle", begins: true }),
  BeforeAgent: (payload) => ({ state: "working", begins: true, ...telling(payload["prompt"]) }),
  BeforeTool: (payload) =>
    payload["tool_name"] === QUESTION_TOOL ? questionReport(payload["tool_input"]) : { state: "working" },
  AfterTool: () => ({ state: "working" }),
  Notification: (payload) =>
    payload["notification_type"] === "ToolPermission"
      ? { state: "permission", ...telling(permissionText(payload)) }
      : undefined,
  AfterAgent: (payload) => ({ state: "done", ...telling(withoutRepeats(payload["prompt_response"])) }),
  // `clear` continues in a new session, which reports itself.
  SessionEnd: (payload) => (payload["reason"] === "clear" ? undefined : { state: "offline" }),
};

/** Enough for a line of a list. */
const READ_CHARACTERS = 2000;
/** Shorter ends are repeated in ordinary text too. */
const MIN_REPEAT = 6;

/** Gemini adds to each whole answer the pieces in which its end arrived: `Computed. put ed.` */
function withoutRepeats(response: unknown): string | undefined {
  const words = asText(response)?.slice(0, READ_CHARACTERS).split(/\s+/) ?? [];
  const kept: string[] = [];
  for (let at = 0; at < words.length;) {
    const before = kept.join("");
    let repeated = 0;
    for (
      let to = at + 1, end = words[at]!;
      end.length < before.length && to <= words.length;
      end += words[to++] ?? ""
    ) {
      if (before.endsWith(end) && (to === words.length || end.length >= MIN_REPEAT)) repeated = to - at;
    }
    if (repeated === 0) kept.push(words[at]!);
    at += Math.max(repeated, 1);
  }
  return response === undefined ? undefined : kept.join(" ");
}

/** The message is always the same; the details have the question. */
function permissionText(payload: Json): unknown {
  const details = asObject(payload["details"]) ?? {};
  const what =
    asText(details["command"]) ??
    asText(details["filePath"]) ??
    asText(details["fileName"]) ??
    asText(details["prompt"]);
  const title = asText(details["title"]);
  if (what === undefined) return title ?? payload["message"];
  return title === undefined ? what : `${title}: ${what}`;
}
