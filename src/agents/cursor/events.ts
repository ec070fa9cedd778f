/**
 * The Cursor CLI's documented `--output-format stream-json`: whole messages, tool calls at start and end, no token
 * counts. A failed run has no result; the reason is on standard error.
 */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    read: { is: "file_read", path: "path" },
    write: { is: "file_write", path: "path", content: "fileText" },
    edit: { is: "file_patch", path: "path" },
    delete: { is: "file_delete", path: "path" },
    shell: { is: "shell", command: "command" },
  },
};

export const GUIDANCE = "Run cursor-agent login, or set CURSOR_API_KEY.";

export function cursorEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  return jsonLineReader(events, GUIDANCE, (record) => see(record, events));
}

function see(record: Json, events: EventAssembler): boolean | void {
  switch (record["type"]) {
    case "system":
      if (record["subtype"] !== "init") return false;
      events.session(asString(record["session_id"]) ?? "", asText(record["model"]));
      events.turnStart();
      return;
    case "user":
      return;
    case "thinking":
      if (record["subtype"] === "completed") events.thinkingStop();
      else events.thinkingDelta(asString(record["text"]) ?? "");
      return;
    case "assistant":
      for (const block of asObjects(asObject(record["message"])?.["content"])) {
        if (block["type"] === "text") events.text(asString(block["text"]) ?? "");
      }
      return;
    case "tool_call":
      toolCall(record, events);
      return;
    case "result":
      if (record["is_error"] === true) {
        const message = asText(record["result"]) ?? "The run failed.";
        events.push(failureEvent({ message, guidance: GUIDANCE }));
      }
      events.turnEnd();
      return;
    default:
      return false;
  }
}

function toolCall(record: Json, events: EventAssembler): void {
  const id = asString(record["call_id"]) ?? "";
  const [kind, content] = Object.entries(asObject(record["tool_call"]) ?? {})[0] ?? ["", {}];
  const call = asObject(content) ?? {};
  // `readToolCall`, `shellToolCall`, …; other tools are a `function` with a name.
  const name = kind === "function" ? (asString(call["name"]) ?? kind) : kind.replace(/ToolCall$/, "");
  events.toolReady(id, name, call["args"] ?? call["arguments"]);
  if (record["subtype"] !== "completed") return;
  const result = asObject(call["result"]) ?? {};
  const [outcome, details] = Object.entries(result)[0] ?? ["success", null];
  const fields = asObject(details) ?? {};
  const reason = asText(fields["errorMessage"]) ?? asText(fields["reason"]) ?? asText(fields["error"]);
  events.toolDone(id, {
    ...(outcome === "success" ? { output: details } : { error: reason ?? outcome }),
    ...optional("exitCode", asNumber(fields["exitCode"])),
  });
}
