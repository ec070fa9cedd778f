/** The chat-completions protocol, as OpenCode speaks it to a custom provider. */
import { newId, textOf, type Dialect, type Given, type Piece } from "./dialect.ts";

export const chat: Dialect = {
  takes: /\/v1\/chat\/completions$/,
  modelOf: (body) => String(body["model"]),
  read(body) {
    const messages = body["messages"] as { role: string; content: unknown }[];
    const tools = (body["tools"] ?? []) as { function: { name: string } }[];
    // Kimi Code puts reminders after a prompt, in messages of their own.
    const isPrompt = (text: string): boolean =>
      !/^<system-reminder>(?:(?!<\/system-reminder>)[^])*<\/system-reminder>\s*$/.test(text);
    const at = messages.findLastIndex(({ role, content }) => role === "user" && isPrompt(textOf(content)));
    return {
      prompt: textOf(messages[at]?.content),
      hasToolResult: messages.slice(at + 1).some(({ role }) => role === "tool"),
      tools: tools.map(({ function: { name } }) => name),
    };
  },
  streams: (body) => body["stream"] === true,
  pieces(answer, model) {
    const base = { id: newId("chatcmpl"), object: "chat.completion.chunk", created: 1, model };
    const pieces: Piece[] = [];
    const push = (delta: object, finish: string | null = null): void =>
      void pieces.push({ data: { ...base, choices: [{ index: 0, delta, finish_reason: finish }] } });
    if (answer.kind === "tool") push({ role: "assistant", tool_calls: [{ index: 0, ...callOf(answer) }] });
    else for (const content of answer.text.split(/(?<= )/)) push({ role: "assistant", content });
    if (answer.kind === "stall") return pieces;
    push({}, answer.kind === "tool" ? "tool_calls" : "stop");
    pieces.push({ data: { ...base, choices: [], usage: wireUsage(answer) } }, { data: "[DONE]" });
    return pieces;
  },
  whole: (answer, model) => ({
    id: newId("chatcmpl"),
    object: "chat.completion",
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message:
          answer.kind === "tool"
            ? { role: "assistant", content: null, tool_calls: [callOf(answer)] }
            : { role: "assistant", content: answer.text },
        finish_reason: answer.kind === "tool" ? "tool_calls" : "stop",
      },
    ],
    usage: wireUsage(answer),
  }),
  refusal: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_exceeded" : "invalid_request_error", code: null, param: null },
  }),
};

function callOf({ name, input }: Extract<Given, { kind: "tool" }>): object {
  return { id: newId("call"), type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function wireUsage({ usage: { input, cached, output } }: Given): object {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output,
    total_tokens: input + cached + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
