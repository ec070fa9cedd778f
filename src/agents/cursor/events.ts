/**
 * The Cursor CLI's documented `--output-format stream-json`: whole messages, tool calls at start and end, no token
 * counts. A failed run has no result; the reason is on standard error.
 */
import { asNumber, asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { byType, jsonLineReader, stringIn, type RecordHandlers } from "../shared/json-lines.ts";
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
  const handlers: RecordHandlers = {
    system(record) {
      if (record["subtype"] !== "init") return false;
      events.session(stringIn(record, "session_id"), asText(record["model"]));
      events.turnStart();
    },
    user: () => undefined,
    thinking(record) {
      if (record["subtype"] === "completed") events.thinkingStop();
      else events.thinkingDelta(stringIn(record, "text"));
    },
    assistant(record) {
      for (const block of asObjects(asObject(record["message"])?.["content"])) {
        if (block["type"] === "text") events.text(stringIn(block, "text"));
      }
    },
    tool_call: (record) => toolCall(record, events),
    result(record) {
      const message = asText(record["result"]) ?? "The run failed.";
      if (record["is_error"] === true) events.push(failureEvent({ message, guidance: GUIDANCE }));
      events.turnEnd();
    },
  };
  return jsonLineReader(events, GUIDANCE, byType(handlers));
}

function toolCall(record: Json, events: EventAssembler): void {
  const id = stringIn(record, "call_id");
  const [kind, content] = Object.entries(asObject(record["tool_call"]) ?? {})[0] ?? ["", {}];
  const call = asObject(content) ?? {};
  // `readToolCall`, `shellToolCall`, …; other tools are a `function` with a name.
  const name = kind === "function" ? stringIn(call, "name") || kind : kind.replace(/ToolCall$/, "");
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
