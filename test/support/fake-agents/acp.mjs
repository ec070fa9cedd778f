#!/usr/bin/env node
/** Speaks the Agent Client Protocol: repeats prompts, asks before it runs something, and can be cancelled. */
import { heard, note, say } from "./lines.mjs";

const sessionId = "1794974071001_OGGv3_cli";
const reply = (id, result) => say({ jsonrpc: "2.0", id, result });
const update = (fields) => say({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: fields } });
let asked;

for await (const { id, method, params, result } of heard()) {
  note(method ?? JSON.stringify(result));
  if (method === "initialize") reply(id, { protocolVersion: 1 });
  else if (method === "session/new") reply(id, { sessionId });
  else if (method === "session/cancel") reply("prompt", { stopReason: "cancelled" });
  else if (method === "session/prompt") prompted(params.prompt[0].text);
  else if (id === 7) {
    const isAllowed = result.outcome.optionId === "yes";
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: isAllowed ? "completed" : "failed",
      rawOutput: asked,
    });
    answer(isAllowed ? "I ran it." : "I did not.");
  }
}

function prompted(text) {
  if (text === "work") return;
  if (!text.startsWith("ask ")) return answer(`You said: ${text}`);
  asked = text.slice(4);
  const toolCall = {
    toolCallId: "t1",
    title: `run_commands: ${asked}`,
    kind: "execute",
    rawInput: { commands: [asked] },
  };
  const options = [
    { optionId: "always", kind: "allow_always" },
    { optionId: "yes", kind: "allow_once" },
    { optionId: "no", kind: "reject_once" },
  ];
  update({ sessionUpdate: "tool_call", ...toolCall });
  say({ jsonrpc: "2.0", id: 7, method: "session/request_permission", params: { sessionId, toolCall, options } });
}

function answer(text) {
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  reply("prompt", { stopReason: "end_turn" });
}
