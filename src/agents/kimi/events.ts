/** Parses Kimi Code's `--output-format stream-json`: whole messages, without tokens. The session is named at the end. */
import { asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { openedSession, type AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader, stringIn } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolTable } from "../shared/tool-facts.ts";

const TOOLS: ToolTable = {
  tools: {
    Read: { is: "file_read", path: "path" },
    Write: { is: "file_write", path: "path", content: "content" },
    Edit: { is: "file_patch", path: "path" },
    Bash: { is: "shell", command: "command" },
  },
  mcp: /^mcp__(?<server>.+?)__(?<tool>.+)$/,
};

export const GUIDANCE = "Run kimi login, or set the API key of a provider in ~/.kimi-code/config.toml.";

const FAILED = /^error: failed to run prompt: (?<reason>.+)$/m;

export function kimiEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  const lines = jsonLineReader(events, GUIDANCE, (record) => see(record, events));
  return {
    ...lines,
    begin() {
      const known = openedSession(context.session);
      if (known !== undefined) events.session(known);
      return events.take();
    },
    end(exit) {
      const reason = FAILED.exec(exit.stderr)?.groups?.["reason"];
      if (exit.exitCode !== 0 && reason !== undefined) {
        events.push(failureEvent({ message: reason.replace(/^[\w.]+: /, ""), guidance: GUIDANCE }));
      }
      return lines.end(exit);
    },
  };
}

function see(record: Json, events: EventAssembler): boolean | void {
  switch (record["role"]) {
    case "meta": {
      events.turnStart();
      const session = asText(record["session_id"]);
      if (session !== undefined) events.session(session);
      return;
    }
    case "assistant":
      return answer(record, events);
    case "tool":
      // A failed call looks like any other.
      events.toolDone(stringIn(record, "tool_call_id"), { output: stringIn(record, "content") });
      return;
    default:
      return false;
  }
}

function answer(record: Json, events: EventAssembler): void {
  events.stepStart();
  const [thinking, text] = [asText(record["reasoning_content"]), asText(record["content"])];
  if (thinking !== undefined) events.thinking(thinking);
  if (text !== undefined) events.text(text);
  for (const call of asObjects(record["tool_calls"])) {
    const called = asObject(call["function"]) ?? {};
    events.toolReady(stringIn(call, "id"), stringIn(called, "name"), jsonOrText(called["arguments"]));
  }
  events.stepEnd();
}
