/** Parses Factory Droid's hook payloads. Recorded with 0.225.2. */
import type { HookEvents } from "../../core/hooks.ts";
import { asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { questionReport, reportOf, telling, toolEnd, toolRequest, type EventReports } from "../shared/hook-reports.ts";

export const QUESTION_TOOL = "AskUser";

export const hookEvents: HookEvents = {
  name: "droid",
  read(payload, event) {
    const name = asText(payload["hook_event_name"]) ?? event;
    if (name === undefined) return undefined;
    return {
      event: name,
      ...optional("session", asText(payload["session_id"])),
      ...optional("cwd", asText(payload["cwd"])),
      ...optional("transcript", asText(payload["transcript_path"])),
      ...optional("report", reportOf(REPORTS, name, payload)),
      ...optional("tool", name === "PostToolUse" ? asText(payload["tool_name"]) : undefined),
    };
  },
};

const REPORTS: EventReports = {
  SessionStart: (payload) => (payload["source"] === "compact" ? undefined : { state: "idle", begins: true }),
  UserPromptSubmit: (payload) => ({ state: "working", begins: true, ...telling(payload["prompt"]) }),
  PreToolUse: (payload) =>
    payload["tool_name"] === QUESTION_TOOL
      ? { ...questionReport(questions(payload["tool_input"])), ask: toolRequest(payload).ask }
      : { state: "working" },
  PostToolUse: toolEnd,
  Notification(payload) {
    // What it wants to do is on its screen only.
    if (payload["notification_type"] === "permission_prompt") return { state: "permission" };
    return payload["notification_type"] === "idle_prompt" ? { state: "idle" } : undefined;
  },
  // It comes after a refused tool and after an error as well.
  Stop: () => ({ state: "done" }),
  PreCompact: () => ({ state: "working", label: "compacting" }),
  SessionEnd: () => ({ state: "offline" }),
};

/** It asks in a notation of its own: "1. [question] Which? (multi)", "[option] This", "[option] That". */
function questions(input: unknown): Json {
  const text = asText(asObject(input)?.["questionnaire"]) ?? "";
  const list: { question: string; multiple: boolean; options: string[] }[] = [];
  for (const line of text.split("\n")) {
    const [, kind, words = ""] = /^\s*(?:\d+\.\s*)?\[(question|option)\]\s*(.*)$/.exec(line) ?? [];
    const question = words.replace(/\s*\(multi\)\s*$/, "");
    if (kind === "question") list.push({ question, multiple: question !== words, options: [] });
    else if (kind === "option") list.at(-1)?.options.push(words.trim());
  }
  return { questions: list };
}
