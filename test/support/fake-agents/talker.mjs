#!/usr/bin/env node
/** Converses on standard input: repeats prompts, asks before it runs something, takes interruptions. */
import { begin, heard, note, result, SESSION, say, text, toolUse } from "./lines.mjs";

note(JSON.stringify(process.argv.slice(2)));
let turn = 0;
let isBusy = false;
for await (const record of heard()) {
  note(JSON.stringify(record));
  if (record.type === "user") {
    const prompt = record.message.content;
    begin();
    if (prompt.startsWith("ask ")) {
      toolUse("t1", prompt.slice(4));
      const input = { command: prompt.slice(4) };
      say({
        type: "control_request",
        request_id: "q1",
        request: { subtype: "can_use_tool", tool_name: "Bash", input },
      });
    } else if (prompt === "work") isBusy = true;
    else answer(`You said: ${prompt}`);
  } else if (record.type === "control_response") {
    const { behavior, message } = record.response.response;
    answer(behavior === "allow" ? "I ran it." : `I did not: ${message}`);
  } else if (record.type === "control_request" && isBusy) {
    say({ type: "control_response", response: { subtype: "success", request_id: record.request_id } });
    say({ type: "result", subtype: "error_during_execution", is_error: true, session_id: SESSION, usage: {} });
  }
}

function answer(words) {
  turn++;
  text(words, `msg_${turn}`);
  result({
    model_usage_since_last_result: { "claude-sonnet-5-5": { inputTokens: 10, outputTokens: 5, costUSD: 0.01 } },
  });
}
