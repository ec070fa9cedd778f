/** Parses Kimi Code's `--output-format stream-json`: whole messages, without tokens. The session is named at the end. */
import { asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { openedSession, type AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { jsonLineReader, stringIn } from "../shared/json-lines.ts";
import { failureEvent } from "../shared/run-failure.ts";
import type { ToolOutcome, ToolTable } from "../shared/tool-facts.ts";

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

/** A failed call looks like any other. These tools' successes do not. */
const SUCCESSES: Readonly<Record<string, RegExp>> = {
  Read: /^(?:\d+\t|<system>|Tool output is empty|$)/,
  Write: /^(?:Wrote|Appended) \d+ bytes to /,
  Edit: /^Replaced \d+ occurrence/,
};

const EXIT = /(?:^|\n)Command failed with exit code: (?<code>\d+)\.\s*$/;
const STOPPED = /(?:^|\n)(?:Command killed by timeout \(.+\)|Interrupted by user)\s*$/;

const FAILED = /^error: failed to run prompt: (?<reason>.+)$/m;

export function kimiEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context, TOOLS);
  const calls: Calls = new Map();
  const lines = jsonLineReader(events, GUIDANCE, (record) => see(record, events, calls));
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

type Calls = Map<string, { name: string; input: Json | undefined }>;

function see(record: Json, events: EventAssembler, calls: Calls): boolean | void {
  switch (record["role"]) {
    case "meta": {
      events.turnStart();
      const session = asText(record["session_id"]);
      if (session !== undefined) events.session(session);
      return;
    }
    case "assistant":
      return answer(record, events, calls);
    case "tool": {
      const id = stringIn(record, "tool_call_id");
      events.toolDone(id, outcomeOf(calls.get(id), stringIn(record, "content")));
      calls.delete(id);
      return;
    }
    default:
      return false;
  }
}

function outcomeOf(call: { name: string; input: Json | undefined } | undefined, output: string): ToolOutcome {
  if (call?.name === "Bash") {
    const code = EXIT.exec(output)?.groups?.["code"];
    if (code !== undefined) return { error: output, exitCode: Number(code) };
    if (STOPPED.test(output)) return { error: output };
    // A command in the background goes on.
    return call.input?.["run_in_background"] === true ? { output } : { output, exitCode: 0 };
  }
  const success = SUCCESSES[call?.name ?? ""];
  return success === undefined || success.test(output) ? { output } : { error: output };
}

function answer(record: Json, events: EventAssembler, calls: Calls): void {
  events.stepStart();
  const [thinking, text] = [asText(record["reasoning_content"]), asText(record["content"])];
  if (thinking !== undefined) events.thinking(thinking);
  if (text !== undefined) events.text(text);
  for (const call of asObjects(record["tool_calls"])) {
    const called = asObject(call["function"]) ?? {};
    const [id, name] = [stringIn(call, "id"), stringIn(called, "name")];
    const input = jsonOrText(called["arguments"]);
    calls.set(id, { name, input: asObject(input) });
    events.toolReady(id, name, input);
  }
  events.stepEnd();
}
